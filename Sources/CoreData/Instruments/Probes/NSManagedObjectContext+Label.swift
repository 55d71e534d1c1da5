import CoreDataRowStorage

extension NSManagedObjectContext {
    /// What instruments call this context. May be called on any thread.
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
