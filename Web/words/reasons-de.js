// Why a limit holds, a pack fits or something was left out, as the program says it in English: {} stands for a name, a number or
// another reason. What is not here is told in English. Web/words/reasons-fr.js has the same lines.
export default {
  'nominal': 'normal', 'normal': 'normal', 'fair': 'erhöht', 'serious': 'ernst', 'critical': 'kritisch', 'warning': 'knapp', 'low': 'niedrig',
  'fast': 'Schnell', 'deep': 'Tief', 'fastest': 'das schnellste', 'strongest': 'das stärkste', 'true': 'ja', 'false': 'nein',

  'this device has less than {} of memory': 'dieses Gerät hat weniger als {} Speicher',
  'the device is warm, and Deep works it longest': 'das Gerät ist warm, und „Tief“ beansprucht es am längsten',
  'the device is hot': 'das Gerät ist heiß', 'the device is too hot': 'das Gerät ist zu heiß',
  'memory is short': 'der Speicher ist knapp', 'memory is nearly used up': 'der Speicher ist fast aufgebraucht',
  'low-power mode is on': 'der Stromsparmodus ist an', 'the battery is low': 'der Akku ist schwach', 'the battery is nearly empty': 'der Akku ist fast leer',
  '{} ({}); Deep became Fast': '{} ({}); aus „Tief“ wurde „Schnell“',
  'as asked': 'wie gewünscht', 'as set': 'so eingestellt', 'usual for {}': 'üblich für „{}“', 'Fast': 'Schnell', 'Deep': 'Tief',
  '{}; {} was set': '{}; eingestellt war {}', 'nothing presses': 'nichts drängt', 'half of the context': 'die Hälfte des Kontexts',
  '{} s of reading at {} tokens/s, {} ({})': '{} s Lesen bei {} Token/s, {} ({})', 'assumed, not measured yet': 'angenommen, noch nicht gemessen', 'measured': 'gemessen',

  'the system reports heat as {}': 'das System meldet die Wärme als {}', 'the system reports memory as {}': 'das System meldet den Speicher als {}',
  'the processor is held at {} of its top frequency': 'der Prozessor wird auf {} seines höchsten Takts gehalten',
  'this device reports no temperature': 'dieses Gerät meldet keine Temperatur', '{} at {} °C, slows down at {} °C': '{} bei {} °C, wird ab {} °C gebremst',
  'neither {} nor {} shows the processor\'s temperature': 'weder {} noch {} nennt die Temperatur des Prozessors',
  '{} of {} free': '{} von {} frei', '{} of {} free in {}': '{} von {} frei in {}', 'free memory cannot be read here': 'der freie Speicher ist hier nicht zu lesen',
  'everything waited for memory {} of the last 10 s': 'alles wartete {} der letzten 10 s auf Speicher', 'programs waited for memory {} of the last 10 s': 'Programme warteten {} der letzten 10 s auf Speicher',
  '{} was hit {} times': '{} wurde {}-mal erreicht', 'the memory limit{}': 'die Speichergrenze{}', ' in {}': ' in {}',
  'the system asked for memory': 'das System verlangte Speicher', 'the system ended a program for lack of memory': 'das System beendete ein Programm, weil Speicher fehlte',
  'waiting for memory, at most {} s: {}': 'wartet auf Speicher, höchstens {} s: {}',
  'on mains power': 'am Netz', 'battery at {}': 'Akku bei {}', 'battery at {}, drawing {} W': 'Akku bei {}, verbraucht {} W',
  'no battery is reported; mains power is assumed': 'kein Akku gemeldet; Netzstrom wird angenommen', 'no battery below {}; mains power is assumed': 'kein Akku unter {}; Netzstrom wird angenommen',

  'needs {} of {} available': 'braucht {} von {} verfügbaren', 'needs {}; how much memory is available is unknown': 'braucht {}; wie viel Speicher verfügbar ist, ist nicht bekannt',
  'needs {} even with a context of {}; {} can be used': 'braucht {}, auch mit einem Kontext von nur {}; {} sind nutzbar',
  'it quotes what a question finds in your documents': 'es zitiert, was eine Frage in Ihren Dokumenten findet', 'it says what can be done instead': 'es sagt, was stattdessen geht',
  'nothing was found in your documents to quote': 'in Ihren Dokumenten war nichts zu zitieren', '{} passages can be quoted': '{} Stellen können zitiert werden',
  'this program has been given no language model of the system': 'dieses Programm hat kein Sprachmodell des Systems bekommen', 'no model may run now: {}': 'jetzt darf kein Modell laufen: {}',

  'the word "{}"': 'das Wort „{}“', 'it stands nowhere; {} was looked for': 'es steht nirgends; gesucht wurde {}',
  'what the model wrote': 'was das Modell schrieb', 'no sentence of it is in your documents; they are quoted instead': 'kein Satz davon steht in Ihren Dokumenten; sie werden stattdessen zitiert',
  'the documents do not say it': 'die Dokumente sagen es nicht', 'the document does not say it': 'das Dokument sagt es nicht', 'the rest of the answer': 'der Rest der Antwort',
  'the {} oldest messages of this conversation': 'die {} ältesten Nachrichten dieses Gesprächs', 'the model\'s context of {} tokens is full': 'der Kontext des Modells von {} Token ist voll',
  'it began to repeat itself': 'es begann sich zu wiederholen', '{} further places': '{} weitere Stellen', '{} further rows': '{} weitere Zeilen', '{} is the most one answer lists': 'mehr als {} listet eine Antwort nicht auf',
  'they are counted in, and {} are shown': 'sie sind mitgezählt, und {} werden gezeigt', '{} passage': '{} Stelle', '{} passages': '{} Stellen', 'documents': 'Dokumente',
  '{} still being read, found only as far as that has come': '{} werden noch gelesen und nur so weit gefunden', '{} found by words only until their meaning is indexed': '{} werden nur nach Wörtern gefunden, bis ihre Bedeutung erschlossen ist',
};
