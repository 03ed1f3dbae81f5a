/// Every text of the app, by the name that it has in the tables under `Words`.
enum Word: String, CaseIterable {
  case opening, cannotOpen, tryAgain, understood, close, cancel, save, remove, removeNamed, removeQuestion
  case removeForGood, rename, renameNamed, renameHint, title, stop, chat, library, speak, actions, more
  case conversations, newConversation, searchConversations, noConversations, nothingFound, askYourDocuments, askHint
  case attach, attachHint, attached, yourQuestion, send, sendHint, mode, modeHint, fast, deep, inForce, limit
  case change, youAsked, understoodAs, finding, reading, loadingModel, writing, stopped, unsupported, evidence
  case evidenceHint, evidenceTitle, onPage, pageWithPassage, passage, probably, notThere, howItCame, askAgain
  case provider, passagesRead, seconds, relevance, dropped, takeABreak, addDocuments, addPhotos, photo, scan, scanHint,
    scanned
  case noDocuments, noDocumentsHint, pages, notReady, sourceMissing, importing, beginning, imported, taken, skipped,
    failed, readingPage, talk
  case stopListening, talkHint, noMicrophone, voiceIdle, voiceOpening, voiceListening, voiceSettling, voiceNothing
  case voiceDone, voiceInterrupted, listeningFor, maybe, doIt, doItHint, askThis, askThisHint, typeCommand
  case understanding, confirmThis, didYouMean, confirm, leaveIt, begins, ends, timeHint, repeats, to, subject, text
  case orRather, undo, undoNamed, undone, noAlarms, noCommand, alsoSaid, doThatToo, nothingPlanned, due, history
  case noActions, missed, settle, settleNamed, snooze, snoozeNamed, heard, stateBegun, stateWaiting, stateSending
  case stateDone, stateUndone, stateFailed, models, settings, device, diagnostics, data, licences, addModels
  case addModelsHint, removeModelHint, fits, doesNotFit, verify, verifyNamed, notHere, hereVerified, hereUnverified
  case kindChat, kindEmbed, kindSpeech, kindVoice, now, heat, memory, battery, lowPower, on, off, unknown
  case levelNormal, levelFair, levelSerious, levelLow, levelCritical, limits, noLimits, loaded, nothingLoaded
  case unload, unloadHint, happened, nothingHappened, answers, automatic, providerPlatform, providerLocal
  case providerExtractive, providerTemplates, compute, computeCPU, computeGPU, spokenLanguage, english, german
  case french, stopsBySilence, rest, breakAfter, unloadHidden, thisApp, theSystem, copyToCalendar
  case copyToCalendarHint, mayRing, rings, ringRefused, haptics, traces, noTraces, trace, errors, noErrors
  case documents, logs, everything, destroy, destroyQuestion, destroying, destroyed, goes, nothingGoes, dataHint
  case welcome, step, promise, promiseLocal, promiseEvidence, promiseYours, hasChatModel, noChatModel, hasEmbedder
  case noEmbedder, firstDocument, back, goOn, begin, later, laterHint
  case plan, planFree, planPro, planLifetime, previewLeft, previewHint, nothingSold, buy, askingStore, purchaseWaits
  case restorePurchases, storeHint
  case openInMail, openInMailHint, mailSent, mailSaved, mailLeft, mailOpened, mailFailed
  case tryOut, tryOutNamed, tryOutHint, trialFile, trialWriting, trialWaits, trialRuns, trialPassed, trialLoaded
  case trialWrote, trialText, verifying
  case attachPhotos, attachScan, attaching
  case whoAnswers, canAnswer, cannotAnswer, readAloud, stopReading, inBackups, inBackupsHint
  case getModel, getModelNamed, getModelHint, firstWords, tokensASecond, retrieval, passagesAtMost, leastRelevance
  case ofTheMode, deepModel, asInFast, retrievalHint, silenceSeconds
  case storage, storageDocuments, storageModels, storageOther, storageFree
  case share, shareNamed, shareHint, origin, answerOf, systemHears
  case editQuestion, editHint, editing, askAgainHint, version, earlierVersion, laterVersion
}
