import Foundation

/// A shape of a store, with what is written to it, how it is edited, and the version of the model that follows.
public struct Case: Sendable {
    /// The name of its folder.
    public let name: String
    /// The case in words.
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

    /// Why the system cannot have the case, or nil if it can.
    public var obstacle: String? {
        guard hasComposites else { return nil }
        if #available(macOS 14, *) { return nil }
        return "composite attributes need macOS 14"
    }

    /// True if there are systems that cannot have the case.
    var mayBeSkipped: Bool { hasComposites }

    /// The content of the store once it is filled.
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

    /// Every case.
    public static let all: [Case] = [
        .attributes, .longDecimals, .inheritance, .manyToMany, .ordered, .externalData, .derived, .derivedTexts,
        .derivedSums, .history,
        .composites, .constraints, .mapping,
    ]

    /// A checksum of all that the cases expect: two programs with the same one have the same cases.
    public static var edition: String {
        let lines = all.flatMap { item in
            [item.name] + [item.filled, item.edited, item.migrated].flatMap(\.lines) + item.edited.history.lines
        }
        return Checksum.text(of: Data(lines.joined(separator: "\n").utf8))
    }
}

extension Schema {
    /// Returns the schema with one more attribute, which has a default value.
    func adding(to entity: String) -> Schema {
        changing(entity) { $0.attributes.append(.init("addition", .text, defaultValue: .text("new in version 2"))) }
    }
}
