extension MappingDocument {
    /// Returns warnings about a usable mapping model: entity mappings without entities, which have no effect and which Xcode
    /// compiles, and unread parts.
    public func warnings() -> [ModelFormatError] {
        let empty = entries.filter { entry in
            (entry.sourceName, entry.destinationName, entry.migrationPolicyClassName) == (nil, nil, nil)
        }.map { entry in
            ModelFormatError.emptyMapping(entry.name, number: entry.number, file: file, line: entry.line)
        }
        return empty
            + unread.map { part in
                var warning = ModelFormatError(
                    .unsupported, "the attribute \(part.name) is unknown, and left out", file: file, line: part.line)
                warning.severity = .warning
                return warning
            }
    }
}

extension MappingModel {
    /// Returns warnings about a usable mapping model: entity mappings without entities, which have no effect.
    public func warnings(file: String? = nil) -> [ModelFormatError] {
        entityMappings.enumerated()
            .filter { _, mapping in
                (mapping.sourceEntityName, mapping.destinationEntityName, mapping.migrationPolicyClassName)
                    == (nil, nil, nil)
            }
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
