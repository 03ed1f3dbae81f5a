/// Words whose full stop does not end a sentence, in lower case and without the stop.
enum Abbreviations {
  static let never: Set<String> = [
    // English
    "mr", "mrs", "ms", "dr", "prof", "rev", "hon", "st", "mt", "gen", "col", "sgt", "capt", "lt", "cpl", "sen", "rep",
    "gov",
    "pres", "messrs", "vs", "eg", "ie", "e.g", "i.e", "cf", "viz", "al", "approx", "fig", "figs", "eq", "eqs", "sec",
    "ch",
    "chap", "vol", "vols", "ed", "eds", "pp", "para", "paras", "no", "nos", "ref", "refs", "tab", "app", "dept", "univ",
    "assn", "ave", "blvd", "rd", "ph.d", "v",
    // German
    "hr", "fr", "frl", "dipl", "ing", "nr", "bzw", "ca", "evtl", "ggf", "inkl", "exkl", "sog", "vgl", "z", "z.b", "d.h",
    "u.a",
    "o.ä", "u.ä", "i.d.r", "i.v.m", "s.o", "s.u", "abb", "abs", "art", "anm", "aufl", "bd", "bde", "hrsg", "jh", "jhd",
    "kap",
    "max", "min", "mind", "mio", "mrd", "str", "tel", "usf", "ziff", "zzgl", "abzgl", "geb", "gest", "allg",
    "bes",
    "bspw", "einschl", "gem", "insb", "lt", "möbl", "rd", "urspr", "verh", "wg", "zit", "stk", "tsd", "betr", "bgb",
    "hl",
    // French
    "m", "mm", "mme", "mlle", "mlles", "me", "mgr", "p.ex", "ex", "env", "av", "apr", "chap", "coll", "éd", "hab", "n",
    "réf",
    "suiv", "sté", "tél", "tome",
    // Months
    "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "okt", "nov", "dec", "dez", "janv", "févr",
    "juil",
    "déc",
  ]

  /// May end a sentence: they do when a capital follows.
  static let sometimes: Set<String> = [
    "etc", "usw", "a.m", "p.m", "inc", "ltd", "co", "corp", "jr", "sr", "u.s", "u.k", "u.s.a", "e.u", "d.c", "ff", "f",
    "p",
    "pos", "op", "cit",
  ]

  static let months: Set<String> = [
    "januar", "jänner", "februar", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober", "november",
    "dezember", "january", "february", "march", "may", "june", "july", "october", "december",
  ]

  /// Before a number with a stop they announce an ordinal ("am 3. Tag").
  static let beforeOrdinals: Set<String> = [
    "am", "vom", "zum", "beim", "der", "die", "das", "den", "dem", "des", "im", "bis", "ab", "seit", "jeder", "jede",
    "ein",
    "eine", "einen", "und", "oder", "zur", "ihr", "sein",
  ]
}
