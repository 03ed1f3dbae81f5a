// What stands in the answers of this library and is defined in its rooms.
@_exported public import struct Assistant.AnswerRecord
@_exported public import struct Assistant.AnswerSentence
@_exported public import struct Assistant.Citation
@_exported public import struct Assistant.DropNote
@_exported public import enum Assistant.Finding
@_exported public import struct Assistant.LimitChange
@_exported public import struct Assistant.LimitNote
@_exported public import enum Assistant.TurnKind
@_exported public import enum Core.Allowance
@_exported public import enum Core.Compute
@_exported public import enum Core.KVType
@_exported public import enum Core.Mode
@_exported public import enum Core.ProviderKind
@_exported public import struct Core.Settings
