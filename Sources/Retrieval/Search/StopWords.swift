/// Words that say nothing about what a text is about, in the three languages the chunker knows.
package enum StopWords {
  package static let all: Set<String> = Set(
    """
    a about above after again against all am an and any are as at be because been before being below between both but by can
    could did do does doing down during each few for from further had has have having he her here hers herself him himself his
    how i if in into is it its itself just me more most my myself no nor not now of off on once only or other our ours out over
    own same she should so some such than that the their theirs them then there these they this those through to too under
    until up very was we were what when where which while who whom why will with would you your yours
    aber alle als also am an auch auf aus bei bin bis bist da dann das dass dein dem den denn der des die dies diese diesem
    diesen dieser dieses doch du durch ein eine einem einen einer eines er es euer für hat hatte hier ich ihr ihre im in ist
    ja jede jedem jeden jeder jedes kann kein keine mein mich mir mit nach nicht noch nur ob oder ohne sehr sein seine sich
    sie sind so über um und uns unser unter vom von vor wann war warum was weil welche welcher welches wenn wer werden wie wir
    wird wo zu zum zur
    au aux avec ce ces cet cette comme dans de des du elle elles en est et eux il ils je la le les leur leurs lui ma mais me
    même mes moi mon ne nos notre nous on ou où par pas pour qu que quel quelle quels quelles qui sa sans se ses son sont sur
    ta te tes toi ton tu un une vos votre vous
    """.split(whereSeparator: \.isWhitespace).map(String.init))
}
