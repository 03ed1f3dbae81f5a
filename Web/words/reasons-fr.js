// Why a limit holds, a pack fits or something was left out, as the program says it in English: {} stands for a name, a number or
// another reason. What is not here is told in English. Web/words/reasons-de.js has the same lines.
export default {
  'nominal': 'normal', 'normal': 'normal', 'fair': 'élevé', 'serious': 'sérieux', 'critical': 'critique', 'warning': 'juste', 'low': 'faible',
  'fast': 'Rapide', 'deep': 'Approfondi', 'fastest': 'le plus rapide', 'strongest': 'le plus puissant', 'true': 'oui', 'false': 'non',

  'this device has less than {} of memory': 'cet appareil a moins de {} de mémoire',
  'the device is warm, and Deep works it longest': 'l’appareil est tiède, et « Approfondi » le sollicite le plus longtemps',
  'the device is hot': 'l’appareil est chaud', 'the device is too hot': 'l’appareil est trop chaud',
  'memory is short': 'la mémoire manque', 'memory is nearly used up': 'la mémoire est presque épuisée',
  'low-power mode is on': 'le mode économie d’énergie est actif', 'the battery is low': 'la batterie est faible', 'the battery is nearly empty': 'la batterie est presque vide',
  '{} ({}); Deep became Fast': '{} ({}) ; « Approfondi » est devenu « Rapide »',
  'as asked': 'comme demandé', 'as set': 'réglé ainsi', 'usual for {}': 'habituel pour « {} »', 'Fast': 'Rapide', 'Deep': 'Approfondi',
  '{}; {} was set': '{} ; {} était réglé', 'nothing presses': 'rien ne presse', 'half of the context': 'la moitié du contexte',
  '{} s of reading at {} tokens/s, {} ({})': '{} s de lecture à {} tokens/s, {} ({})', 'assumed, not measured yet': 'supposé, pas encore mesuré', 'measured': 'mesuré',

  'the system reports heat as {}': 'le système indique pour la chaleur : {}', 'the system reports memory as {}': 'le système indique pour la mémoire : {}',
  'the processor is held at {} of its top frequency': 'le processeur est tenu à {} de sa fréquence maximale',
  'this device reports no temperature': 'cet appareil n’indique aucune température', '{} at {} °C, slows down at {} °C': '{} à {} °C, ralentit à partir de {} °C',
  'neither {} nor {} shows the processor\'s temperature': 'ni {} ni {} n’indique la température du processeur',
  '{} of {} free': '{} libres sur {}', '{} of {} free in {}': '{} libres sur {} dans {}', 'free memory cannot be read here': 'la mémoire libre n’est pas lisible ici',
  'everything waited for memory {} of the last 10 s': 'tout a attendu de la mémoire {} des 10 dernières secondes', 'programs waited for memory {} of the last 10 s': 'des programmes ont attendu de la mémoire {} des 10 dernières secondes',
  '{} was hit {} times': '{} a été atteinte {} fois', 'the memory limit{}': 'la limite de mémoire{}', ' in {}': ' dans {}',
  'the system asked for memory': 'le système a demandé de la mémoire', 'the system ended a program for lack of memory': 'le système a arrêté un programme faute de mémoire',
  'waiting for memory, at most {} s: {}': 'attend de la mémoire, {} s au plus : {}',
  'on mains power': 'sur secteur', 'battery at {}': 'batterie à {}', 'battery at {}, drawing {} W': 'batterie à {}, consomme {} W',
  'no battery is reported; mains power is assumed': 'aucune batterie indiquée ; le secteur est supposé', 'no battery below {}; mains power is assumed': 'aucune batterie sous {} ; le secteur est supposé',

  'needs {} of {} available': 'demande {} sur {} disponibles', 'needs {}; how much memory is available is unknown': 'demande {} ; la mémoire disponible est inconnue',
  'needs {} even with a context of {}; {} can be used': 'demande {} même avec un contexte de {} ; {} sont utilisables',
  'it quotes what a question finds in your documents': 'il cite ce qu’une question trouve dans vos documents', 'it says what can be done instead': 'il dit ce qui peut se faire à la place',
  'nothing was found in your documents to quote': 'rien n’a été trouvé à citer dans vos documents', '{} passages can be quoted': '{} passages peuvent être cités',
  'this program has been given no language model of the system': 'ce programme n’a reçu aucun modèle de langage du système', 'no model may run now: {}': 'aucun modèle ne peut tourner maintenant : {}',

  'the word "{}"': 'le mot « {} »', 'it stands nowhere; {} was looked for': 'il n’est nulle part ; {} a été cherché',
  'what the model wrote': 'ce que le modèle a écrit', 'no sentence of it is in your documents; they are quoted instead': 'aucune phrase n’en est dans vos documents ; ils sont cités à la place',
  'the documents do not say it': 'les documents ne le disent pas', 'the document does not say it': 'le document ne le dit pas', 'the rest of the answer': 'le reste de la réponse',
  'the {} oldest messages of this conversation': 'les {} plus anciens messages de cette conversation', 'the model\'s context of {} tokens is full': 'le contexte du modèle, {} tokens, est plein',
  'it began to repeat itself': 'il commençait à se répéter', '{} further places': '{} autres endroits', '{} further rows': '{} autres lignes', '{} is the most one answer lists': 'une réponse n’en liste pas plus de {}',
  'they are counted in, and {} are shown': 'elles sont comptées, et {} sont montrées', '{} passage': '{} passage', '{} passages': '{} passages', 'documents': 'documents',
  '{} still being read, found only as far as that has come': '{} encore en lecture, trouvés seulement jusque-là', '{} found by words only until their meaning is indexed': '{} trouvés par les mots seuls jusqu’à ce que leur sens soit indexé',
};
