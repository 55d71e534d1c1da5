import Foundation

/// A test case: a model, the steps that fill and edit a store, and the next version of the model.
public struct Case: Sendable {
    /// The name of the case and of its folder.
    public let name: String
    /// The description in the report.
    public let title: String
    /// The first version of the model.
    public let schema: Schema
    /// The second version.
    public let next: Schema
    let fill: [Step]
    let edit: [Step]
    var tracksHistory = false
    var hasComposites = false
    /// The value that a mapping model gives the attribute `addition`; nil where the mapping is inferred.
    var mappedAdditions: String?

    /// The reason why the system does not support the case, or nil if it does.
    public var obstacle: String? {
        guard hasComposites else { return nil }
        if #available(macOS 14, *) { return nil }
        return "composite attributes need macOS 14"
    }

    /// True if some systems do not support the case.
    var mayBeSkipped: Bool { hasComposites }

    /// The content of the store after it is filled.
    public var filled: Scene { Scene(schema).after(fill) }
    /// The content after the edits.
    public var edited: Scene { filled.after(edit) }
    /// The content after the migration to the second version.
    public var migrated: Scene {
        var scene = edited.upgraded(to: next)
        guard let mappedAdditions else { return scene }
        for (key, thing) in scene.things where thing.values["addition"] != nil {
            scene.things[key]?.values["addition"] = .text(mappedAdditions)
        }
        return scene
    }

    /// All cases.
    public static let all: [Case] = [
        .attributes, .longDecimals, .inheritance, .manyToMany, .ordered, .externalData, .derived, .derivedTexts,
        .derivedSums, .history,
        .composites, .constraints, .mapping,
    ]

    /// A checksum of everything that the cases expect. Programs with the same edition have the same cases.
    public static var edition: String {
        let lines = all.flatMap { item in
            [item.name] + [item.filled, item.edited, item.migrated].flatMap(\.lines) + item.edited.history.lines
        }
        return Checksum.text(of: Data(lines.joined(separator: "\n").utf8))
    }
}

extension Schema {
    /// Returns the schema with the attribute `addition`, which has a default value, added to an entity.
    func adding(to entity: String) -> Schema {
        changing(entity) { $0.attributes.append(.init("addition", .text, defaultValue: .text("new in version 2"))) }
    }
}
