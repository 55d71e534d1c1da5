extension MappingDocument {
    /// What is odd about a mapping model that can be used all the same: entity mappings without entities, which do nothing.
    /// Xcode compiles them.
    public func warnings() -> [ModelFormatError] {
        entries.filter { $0.sourceName == nil && $0.destinationName == nil }.map { entry in
            .emptyMapping(entry.name, number: entry.number, file: file, line: entry.line)
        }
    }
}

extension MappingModel {
    /// What is odd about a mapping model that can be used all the same: entity mappings without entities, which do nothing.
    public func warnings(file: String? = nil) -> [ModelFormatError] {
        entityMappings.enumerated()
            .filter { $0.element.sourceEntityName == nil && $0.element.destinationEntityName == nil }
            .map { .emptyMapping($0.element.name, number: $0.offset, file: file, line: nil) }
    }
}

extension ModelFormatError {
    fileprivate static func emptyMapping(_ name: String?, number: Int, file: String?, line: Int?) -> ModelFormatError {
        let title = name.flatMap { $0.isEmpty ? nil : $0 } ?? "number \(number)"
        var warning = ModelFormatError(
            .emptyMapping, "the entity mapping \(title) names no entity, and does nothing", file: file, line: line,
            advice: "Delete it, or choose its source or destination")
        warning.severity = .warning
        return warning
    }
}
