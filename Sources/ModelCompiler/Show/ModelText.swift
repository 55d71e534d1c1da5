import CoreDataModelBuilding
import Foundation
import ModelFormat

/// Formats a model as text: entities with their properties, indexes, constraints, and the other parts of the model.
struct ModelText {
    let version: ModelBundle.Version
    let bundle: ModelBundle

    func write() throws -> String {
        let model = version.model
        let hashes = try version.placedHashes()
        var text = "model \(version.name)\n"
        if bundle.versions.count > 1 {
            let names = bundle.versions.map { $0.name == bundle.currentVersionName ? "\($0.name) (current)" : $0.name }
            text += "  versions     \(names.joined(separator: ", "))\n"
        }
        let identifiers = model.versionIdentifiers.filter { !$0.isEmpty }
        if !identifiers.isEmpty { text += "  identifiers  \(identifiers.joined(separator: ", "))\n" }
        text += "  checksum     \(Model.versionChecksum(hashes))\n"
        for entity in model.entities.sorted(byText: \.name, .literal) {
            text += "\n" + self.text(of: entity, hash: hashes[entity.name] ?? Data())
        }
        for composite in model.composites {
            text += "\ncomposite \(composite.name)\n"
            text += Self.table(composite.attributes.map { ("attribute", $0.name, PropertyWords.facts($0)) })
        }
        if !model.fetchTemplates.isEmpty {
            text += "\nfetch requests\n"
            text += Self.table(model.fetchTemplates.map { ("fetch", $0.name, PropertyWords.facts($0)) })
        }
        if !model.configurations.isEmpty {
            text += "\nconfigurations\n"
            text += Self.table(model.configurations.map { ("stores", $0.name, $0.entityNames) })
        }
        return text
    }

    private func text(of entity: Entity, hash: Data) -> String {
        var text = "entity \(entity.name)"
        if let parent = entity.parentName { text += " : \(parent)" }
        if entity.isAbstract { text += " (abstract)" }
        text += "\n"
        var head: [(String, String, [String])] = []
        if let name = entity.className { head.append(("class", name, [])) }
        head.append(("hash", hash.map { String(format: "%02x", $0) }.joined(), []))
        if let name = entity.renamingIdentifier { head.append(("formerly", name, [])) }
        if let modifier = entity.versionHashModifier { head.append(("modifier", modifier, [])) }
        var rows = entity.attributes.map { ("attribute", $0.name, PropertyWords.facts($0)) }
        rows += entity.relationships.map { ("relationship", $0.name, PropertyWords.facts($0)) }
        rows += entity.fetchedProperties.map { ("fetched", $0.name, PropertyWords.facts($0)) }
        rows += entity.fetchIndexes.map { ("index", $0.name, PropertyWords.facts($0)) }
        rows += entity.compoundIndexes.map { ("index", $0.joined(separator: "_"), $0) }
        rows += entity.uniquenessConstraints.map { ("unique", $0.joined(separator: " + "), []) }
        rows += entity.userInfo.sorted(byText: \.key).map {
            ("info", $0.key, [$0.value.string ?? PropertyWords.constant($0.value)])
        }
        return text + Self.table(head) + Self.table(rows)
    }

    /// Formats rows in three columns: kind, name, facts.
    private static func table(_ rows: [(kind: String, name: String, facts: [String])]) -> String {
        let width = rows.filter { !$0.facts.isEmpty }.map(\.name.count).max() ?? 0
        return rows.map { row in
            let kind = row.kind.padding(toLength: 12, withPad: " ", startingAt: 0)
            guard !row.facts.isEmpty else { return "  \(kind) \(row.name)\n" }
            let name = row.name.padding(toLength: max(width, row.name.count), withPad: " ", startingAt: 0)
            let facts = row.facts.joined(separator: ", ").replacingOccurrences(of: "\n", with: " ")
            return "  \(kind) \(name)  \(facts)\n"
        }.joined()
    }
}
