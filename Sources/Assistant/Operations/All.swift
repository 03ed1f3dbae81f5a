/// Every operation there is, for the transports that carry JSON.
package enum Operations {
  package static let all: [AnyOperation] = [
    AnyOperation(Ask.self), AnyOperation(Import.self), AnyOperation(Search.self), AnyOperation(SearchBatch.self),
    AnyOperation(Open.self),
    AnyOperation(ListDocuments.self), AnyOperation(ReadDocument.self), AnyOperation(RemoveDocuments.self),
    AnyOperation(ListCollections.self), AnyOperation(RemoveCollection.self),
    AnyOperation(ListWatched.self), AnyOperation(WatchFolder.self), AnyOperation(UnwatchFolder.self),
    AnyOperation(ListConversations.self), AnyOperation(ShowConversation.self), AnyOperation(SearchConversations.self),
    AnyOperation(RenameConversation.self), AnyOperation(DeleteConversations.self),
    AnyOperation(ExportConversations.self), AnyOperation(ImportConversations.self),
    AnyOperation(BranchConversation.self), AnyOperation(ChooseBranch.self),
    AnyOperation(MeasureData.self), AnyOperation(DestroyData.self), AnyOperation(BackUp.self),
    AnyOperation(ListPacks.self), AnyOperation(FitPack.self), AnyOperation(VerifyPack.self),
    AnyOperation(RemovePack.self), AnyOperation(PullPack.self), AnyOperation(ImportPack.self),
    AnyOperation(SmokePack.self), AnyOperation(ProposePack.self), AnyOperation(Tune.self),
    AnyOperation(Transcribe.self), AnyOperation(Listen.self), AnyOperation(Hear.self),
    AnyOperation(Understand.self), AnyOperation(Perform.self), AnyOperation(AnswerCard.self),
    AnyOperation(ListActions.self),
    AnyOperation(UndoAction.self), AnyOperation(ListHistory.self), AnyOperation(ShowAgenda.self),
    AnyOperation(ListRules.self), AnyOperation(SetRule.self), AnyOperation(ListConnectors.self),
    AnyOperation(ListReminders.self), AnyOperation(SettleReminder.self),
    AnyOperation(Presence.self), AnyOperation(ListProviders.self),
    AnyOperation(Doctor.self), AnyOperation(WatchGovernor.self), AnyOperation(ShowLog.self),
    AnyOperation(ClearLog.self), AnyOperation(ShowTrace.self),
    AnyOperation(ShowLicences.self), AnyOperation(ShowPage.self), AnyOperation(ShowSettings.self),
    AnyOperation(ChangeSetting.self),
  ]
}
