import CoreData

extension MagicalRecord.Stack {
    /// The text of ``MagicalRecord/currentStack()``.
    var legacyDescription: String {
        let hashes = model.entityVersionHashesByName.sorted { $0.key < $1.key }
            .map { "  \($0.key): \($0.value.map { String(format: "%02x", $0) }.joined())" }
        return
            ([
                "Model:"
            ] + hashes + [
                "Coordinator: \(coordinator)",
                "Stores: " + stores.map { $0.url?.path ?? $0.type }.joined(separator: ", "),
                "Default context: \(mainContext.mr_description())",
                "Context chain:" + mainContext.mr_parentChain(),
            ]).joined(separator: "\n")
    }
}
