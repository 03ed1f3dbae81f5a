import Core

/// Every operation there is, for the transports that carry JSON, and the one right that each needs.
package enum Operations {
  package static let all: [AnyOperation] =
    needing(
      .ask, Ask.self, Search.self, SearchBatch.self, Open.self, OutlineDocument.self, ShowSheet.self,
      ListDocuments.self, ReadDocument.self, ShowThread.self,
      ListCollections.self, ListProviders.self, Say.self, ShowVoice.self, ShowLicences.self,
      ShowTroubles.self)
    + needing(.transcribe, Transcribe.self, Listen.self, Hear.self)
    + needing(
      .act, Understand.self, Perform.self, AnswerCard.self, ListActions.self, UndoAction.self, ListHistory.self,
      ShowAgenda.self, ListRules.self, ListConnectors.self, ListReminders.self, ListStandingReminders.self,
      SettleReminder.self, Presence.self, ListTools.self, ProposeToolCall.self, CallTool.self,
      ReadToolResource.self, FillToolPrompt.self)
    // A caller that may act cannot set what is done without asking.
    + needing(
      .manage, SetRule.self, Import.self, ImportToolResource.self, MoveDocuments.self, RemoveDocuments.self,
      RemoveCollection.self,
      ListWatched.self,
      WatchFolder.self, UnwatchFolder.self, ListConversations.self, ShowConversation.self, SearchConversations.self,
      RenameConversation.self, MoveConversations.self, DeleteConversations.self, ExportConversations.self,
      ImportConversations.self,
      BranchConversation.self, ChooseBranch.self, MeasureData.self, DestroyData.self, BackUp.self,
      RestoreBackup.self, ListPacks.self,
      FitPack.self, VerifyPack.self, RemovePack.self, PullPack.self, ImportPack.self, InstallBundle.self,
      SmokePack.self, ProposePack.self, Tune.self, Doctor.self, WatchGovernor.self, ShowLog.self, ClearLog.self,
      ShowTrace.self,
      ShowPage.self, MakeWay.self, ListSessions.self, EndSessions.self, ListKeys.self, AddKey.self, RevokeKey.self,
      ShowSettings.self, DescribeSettings.self,
      ChangeSetting.self)

  private static func needing(_ right: Right, _ types: any Operation.Type...) -> [AnyOperation] {
    types.map { AnyOperation($0, needs: right) }
  }

  package static func named(_ name: String) -> AnyOperation? { all.first { $0.name == name } }
}
