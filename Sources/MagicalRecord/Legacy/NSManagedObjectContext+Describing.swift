import CoreData

extension NSManagedObjectContext {
    /// Sets the context's name for logs, on its queue.
    #if canImport(ObjectiveC)
    @objc(MR_setWorkingName:)
    #endif
    public func mr_setWorkingName(_ workingName: String) {
        runAndWait { magicalName = workingName }
    }

    /// Returns the context's name for logs: the working name, else `name`, else `Untitled Context`.
    #if canImport(ObjectiveC)
    @objc(MR_workingName)
    #endif
    @discardableResult
    public func mr_workingName() -> String {
        runAndWait {
            let name = magicalName
            return name.isEmpty ? "Untitled Context" : name
        }
    }

    /// Returns a description: class, address, name, and whether the caller runs on the main queue.
    #if canImport(ObjectiveC)
    @objc(MR_description)
    #endif
    @discardableResult
    public func mr_description() -> String {
        let thread = MainQueue.isCurrent ? "the main thread" : "a background thread"
        return "<\(type(of: self)) (\(address)): \(mr_workingName())> on \(thread)"
    }

    /// Returns one line for this context, which is marked, and one for each parent.
    #if canImport(ObjectiveC)
    @objc(MR_parentChain)
    #endif
    @discardableResult
    public func mr_parentChain() -> String {
        sequence(first: self, next: \.parent).reduce(into: "\n") { text, context in
            let mark = context === self ? "(*) " : ""
            text += "- \(mark)\(context.mr_workingName()) (\(context.address))\n"
        }
    }

    /// Deletes these objects from this context, on its queue, without saving.
    public func mr_deleteObjects(_ objects: some Sequence<NSManagedObject>) {
        let objects = Array(objects)
        runAndWait { objects.forEach(delete) }
    }

    private var address: String {
        "0x" + String(UInt(bitPattern: ObjectIdentifier(self).hashValue), radix: 16)
    }
}

extension MagicalRecord.Stack {
    /// The text of ``MagicalRecord/currentStack()``.
    var legacyDescription: String {
        let hashes = model.entityVersionHashesByName.sorted { $0.key < $1.key }
            .map { "  \($0.key): \($0.value.map { String(format: "%02x", $0) }.joined())" }
        let others = [
            "Coordinator: \(coordinator)",
            "Stores: " + stores.map { $0.url?.path ?? $0.type }.joined(separator: ", "),
            "Default context: \(mainContext.mr_description())",
            "Context chain:" + mainContext.mr_parentChain(),
        ]
        return (["Model:"] + hashes + others).joined(separator: "\n")
    }
}
