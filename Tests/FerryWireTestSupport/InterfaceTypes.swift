// Written by scripts/interface from io.ferry.Transfer.varlink: change that, and run `make interface`.

package import FerryWire

/// The members of the interface, by their names in its text.
package enum InterfaceTypes {
    /// The types.
    package static let types: [String: any JSONCodable.Type] = [
        "Field": Wire.Field.self,
        "Request": Wire.Request.self,
        "Response": Wire.Response.self,
        "Launch": Wire.Launch.self,
        "Application": Wire.Application.self,
        "ClientCertificate": Wire.ClientCertificate.self,
        "Connections": Wire.Connections.self,
        "SessionConfiguration": Wire.SessionConfiguration.self,
        "WaitReason": Wire.WaitReason.self,
        "Wait": Wire.Wait.self,
        "EarliestBegin": Wire.EarliestBegin.self,
        "Digest": Wire.Digest.self,
        "RetryRules": Wire.RetryRules.self,
        "UploadProtocol": Wire.UploadProtocol.self,
        "TransferOptions": Wire.TransferOptions.self,
        "Failure": Wire.Failure.self,
        "PasswordChallenge": Wire.PasswordChallenge.self,
        "CertificateVerdict": Wire.CertificateVerdict.self,
        "ServerTrust": Wire.ServerTrust.self,
        "CertificateRequest": Wire.CertificateRequest.self,
        "Challenge": Wire.Challenge.self,
        "ChallengeDisposition": Wire.ChallengeDisposition.self,
        "IdentityFormat": Wire.IdentityFormat.self,
        "Identity": Wire.Identity.self,
        "Upload": Wire.Upload.self,
        "TaskState": Wire.TaskState.self,
        "Task": Wire.Task.self,
        "EventKind": Wire.EventKind.self,
        "Transaction": Wire.Transaction.self,
        "TaskMetrics": Wire.TaskMetrics.self,
        "Event": Wire.Event.self,
        "Hook": Wire.Hook.self,
        "LogKind": Wire.LogKind.self,
        "Log": Wire.Log.self,
        "Status": Wire.Status.self,
    ]

    /// The parameters and the replies of the methods.
    package static let methods: [String: (any JSONCodable.Type, any JSONCodable.Type)] = [
        "OpenSession": (Wire.OpenSession.self, Wire.OpenSession.Reply.self),
        "CreateDownload": (Wire.CreateDownload.self, Wire.CreateDownload.Reply.self),
        "CreateUpload": (Wire.CreateUpload.self, Wire.CreateUpload.Reply.self),
        "Resume": (Wire.Resume.self, Wire.Resume.Reply.self),
        "Suspend": (Wire.Suspend.self, Wire.Suspend.Reply.self),
        "Cancel": (Wire.Cancel.self, Wire.Cancel.Reply.self),
        "CancelProducingResumeData": (
            Wire.CancelProducingResumeData.self, Wire.CancelProducingResumeData.Reply.self
        ),
        "SetDescription": (Wire.SetDescription.self, Wire.SetDescription.Reply.self),
        "SetPriority": (Wire.SetPriority.self, Wire.SetPriority.Reply.self),
        "SetEarliestBegin": (Wire.SetEarliestBegin.self, Wire.SetEarliestBegin.Reply.self),
        "SetOptions": (Wire.SetOptions.self, Wire.SetOptions.Reply.self),
        "SetSessionRates": (Wire.SetSessionRates.self, Wire.SetSessionRates.Reply.self),
        "Begin": (Wire.Begin.self, Wire.Begin.Reply.self),
        "Relink": (Wire.Relink.self, Wire.Relink.Reply.self),
        "AnswerChallenge": (Wire.AnswerChallenge.self, Wire.AnswerChallenge.Reply.self),
        "Acknowledge": (Wire.Acknowledge.self, Wire.Acknowledge.Reply.self),
        "CloseSession": (Wire.CloseSession.self, Wire.CloseSession.Reply.self),
        "Subscribe": (Wire.Subscribe.self, Wire.Subscribe.Reply.self),
        "ListTasks": (Wire.ListTasks.self, Wire.ListTasks.Reply.self),
        "GetTask": (Wire.GetTask.self, Wire.GetTask.Reply.self),
        "WatchTasks": (Wire.WatchTasks.self, Wire.WatchTasks.Reply.self),
        "PauseTask": (Wire.PauseTask.self, Wire.PauseTask.Reply.self),
        "ResumeTask": (Wire.ResumeTask.self, Wire.ResumeTask.Reply.self),
        "CancelTask": (Wire.CancelTask.self, Wire.CancelTask.Reply.self),
        "SetTaskRates": (Wire.SetTaskRates.self, Wire.SetTaskRates.Reply.self),
        "SetTaskPriority": (Wire.SetTaskPriority.self, Wire.SetTaskPriority.Reply.self),
        "RelinkTask": (Wire.RelinkTask.self, Wire.RelinkTask.Reply.self),
        "SetRates": (Wire.SetRates.self, Wire.SetRates.Reply.self),
        "ListHooks": (Wire.ListHooks.self, Wire.ListHooks.Reply.self),
        "RemoveHook": (Wire.RemoveHook.self, Wire.RemoveHook.Reply.self),
        "QuitApplication": (Wire.QuitApplication.self, Wire.QuitApplication.Reply.self),
        "GetStatus": (Wire.GetStatus.self, Wire.GetStatus.Reply.self),
        "Stop": (Wire.Stop.self, Wire.Stop.Reply.self),
    ]
}
