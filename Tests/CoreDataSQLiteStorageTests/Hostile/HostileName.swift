import CoreData
import CoreDataTestSupport
import Foundation

/// A name in a model that means something else to SQL, or looks like it.
struct HostileName {
    let text: String
    /// Whether SQL reads it as one name behind a letter: all that is not ASCII, and of that letters, digits, `_` and `$`. Apple's
    /// framework writes names without quotes, so its files have no others.
    let isIdentifier: Bool

    /// - Parameter other: the path of another database, which no name may reach.
    static func all(besides other: String) -> [HostileName] {
        let refused = [
            "i on zzb(zx); delete from zzb; --", "x; delete from zzb; --", "x integer); delete from zzb; --",
            "x) ; drop table zzb; --", "x\"; delete from zzb; --", "x\"); delete from zzb; --",
            "\"; drop table zzb; \"",
            "x'; delete from zzb; --", "'", "\"", "\"\"", "`", "`; delete from zzb; `", "[x]", "]; delete from zzb; [",
            "x; commit; attach '\(other)' as v; delete from v.zzb; begin; --",
            "i on zzb(zx); commit; attach '\(other)' as v; delete from v.zzb; begin; --",
            "x as select 1; --", "x /*", "x */ ; delete from zzb", "--", "x -- y", ";", ";;", "x;", " ", "x y", " x",
            "x ",
            "\t", "x\ny", "x\r\n; delete from zzb", "\n", "x\0", "\0; delete from zzb", "x\0\"; delete from zzb; --",
            "x-y", "x.y", "temp.x", "main.zzb", "x,y", "x=1", "x(1)", "(", ")", "*", "?", "?1", ":x", "@x", "#", "%s",
            "%w",
            "x\\", "\\\"", "{x}", "x|y", "x!", "x/y", "../x", "~",
        ]
        let taken = [
            "select", "Order", "group", "table", "rowid", "oid", "x1", "1x", "42", "_x", "__", "a$b", "x_y",
            "byNameAndDate",
            "Größe", "имя", "名前", "שם", "e\u{301}te", "ıß", "x\u{A0}y", "\u{201C}x\u{201D}", "😀", "x；delete", "Z_PK",
            "PK",
        ]
        return refused.map { HostileName(text: $0, isIdentifier: false) }
            + taken.map { HostileName(text: $0, isIdentifier: true) }
    }
}

/// Where in a model a name stands.
enum HostilePlace: CaseIterable {
    case entity, subentity, attribute, constraint, derived, element, toOne, manyToMany, owned
    case index, spatialIndex, configuration

    /// Names of indexes are quoted, and those of configurations stand in no statement.
    func takes(_ name: HostileName) -> Bool {
        switch self {
        case .index, .spatialIndex: !name.text.utf8.contains(0)
        case .configuration: true
        default: name.isIdentifier
        }
    }

    /// `ZA` and `ZB`, of whose rows none may go, and the name.
    ///
    /// - Parameter storesOutside: whether a value may lie in a file of its own. Where that changes, a migration copies the objects.
    func model(_ name: String?, version: String, storesOutside: Bool = false) -> NSManagedObjectModel {
        let (a, b) = (LibraryModel.entity("ZA"), LibraryModel.entity("ZB"))
        let image = LibraryModel.attribute("image", .binaryDataAttributeType)
        image.allowsExternalBinaryDataStorage = storesOutside
        a.properties = ["u", "v"].map { LibraryModel.attribute($0, .doubleAttributeType) } + [image]
        b.properties = [LibraryModel.attribute("x", .integer64AttributeType)]
        b.versionHashModifier = version
        let model = NSManagedObjectModel()
        model.entities = [a, b]
        guard let name else { return model }
        switch self {
        case .entity, .subentity:
            let entity = LibraryModel.entity(name)
            entity.properties = [LibraryModel.attribute("word", .stringAttributeType)]
            if self == .subentity { a.subentities = [entity] }
            model.entities += [entity]
        case .attribute: a.properties += [LibraryModel.attribute(name, .stringAttributeType)]
        case .constraint:
            a.properties += [LibraryModel.attribute(name, .stringAttributeType)]
            a.uniquenessConstraints = [[name]]
        case .derived:
            let attribute = NSDerivedAttributeDescription()
            attribute.name = name
            attribute.attributeType = .doubleAttributeType
            attribute.isOptional = true
            attribute.derivationExpression = NSExpression(forKeyPath: "u")
            a.properties += [attribute]
        case .element:
            let composite = NSCompositeAttributeDescription()
            composite.name = "composite"
            composite.isOptional = true
            composite.elements = [LibraryModel.attribute(name, .stringAttributeType)]
            a.properties += [composite]
        case .toOne: LibraryModel.relate(a, name, many: false, b, "back", many: true)
        case .manyToMany: LibraryModel.relate(a, name, many: true, b, "back", many: true)
        case .owned:
            let relationship = NSRelationshipDescription()
            relationship.name = name
            relationship.destinationEntity = b
            relationship.maxCount = 0
            a.properties += [relationship]
        case .index: a.indexes = [Self.index(name, of: a, ["u"], .binary)]
        case .spatialIndex: a.indexes = [Self.index(name, of: a, ["u", "v"], .rTree)]
        case .configuration: model.setEntities([a, b], forConfigurationName: name)
        }
        return model
    }

    private static func index(
        _ name: String, of entity: NSEntityDescription, _ keys: [String], _ type: NSFetchIndexElementType
    ) -> NSFetchIndexDescription {
        NSFetchIndexDescription(
            name: name,
            elements: keys.compactMap { entity.propertiesByName[$0] }.map {
                NSFetchIndexElementDescription(property: $0, collationType: type)
            })
    }
}
