import CoreDataRowStorage

extension NSManagedObjectContext {
    /// The label of this context in instruments. May be read on any thread.
    final var label: ContextLabel {
        settings.withLock { settings in
            if let label = settings.label { return label }
            let label = ContextLabel(
                name: settings.name, isMain: queueKind == .mainQueueConcurrencyType, known: settings.contextNumber)
            settings.contextNumber = label.number
            settings.label = label
            return label
        }
    }
}
