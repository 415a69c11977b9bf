extension TransferCall {
    /// How calls are read, by their methods' names as they stand in messages.
    static let decodings: [String: CallDecoding] = Dictionary(
        uniqueKeysWithValues: [
            CallDecoding(TransferCall.openSession),
            CallDecoding(TransferCall.createDownload),
            CallDecoding(TransferCall.createUpload),
            CallDecoding(TransferCall.resume),
            CallDecoding(TransferCall.suspend),
            CallDecoding(TransferCall.cancel),
            CallDecoding(TransferCall.cancelProducingResumeData),
            CallDecoding(TransferCall.setDescription),
            CallDecoding(TransferCall.setPriority),
            CallDecoding(TransferCall.setEarliestBegin),
            CallDecoding(TransferCall.setOptions),
            CallDecoding(TransferCall.setSessionRates),
            CallDecoding(TransferCall.begin),
            CallDecoding(TransferCall.answerChallenge),
            CallDecoding(TransferCall.acknowledge),
            CallDecoding(TransferCall.closeSession),
            CallDecoding(TransferCall.subscribe),
            CallDecoding(TransferCall.listTasks),
            CallDecoding(TransferCall.getTask),
            CallDecoding(TransferCall.watchTasks),
            CallDecoding(TransferCall.pauseTask),
            CallDecoding(TransferCall.resumeTask),
            CallDecoding(TransferCall.cancelTask),
            CallDecoding(TransferCall.setTaskRates),
            CallDecoding(TransferCall.setTaskPriority),
            CallDecoding(TransferCall.setRates),
            CallDecoding(TransferCall.listHooks),
            CallDecoding(TransferCall.removeHook),
            CallDecoding(TransferCall.quitApplication),
            CallDecoding(TransferCall.getStatus),
            CallDecoding(TransferCall.stop),
        ].map { ($0.method, $0) }
    )
}
