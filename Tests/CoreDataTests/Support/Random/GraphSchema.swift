import CoreData

/// The model of the random tests: every kind of relationship once, an entity with a sub-entity, rules that cascade.
///
/// `Node` has a parent and children, links to other nodes (many to many), and a `Badge` of its own (one to one, cascades),
/// which has a value of a class.
/// `Leaf` is a node. A `Box` holds `Item`s in order (cascades).
enum GraphSchema {
    static func make() -> NSManagedObjectModel {
        let node = LibraryModel.entity("Node"), leaf = LibraryModel.entity("Leaf")
        let box = LibraryModel.entity("Box"), item = LibraryModel.entity("Item"), badge = LibraryModel.entity("Badge")
        for entity in [node, box, item, badge] {
            entity.properties = [
                LibraryModel.attribute("label", .integer64AttributeType, optional: false),
                LibraryModel.attribute("name", .stringAttributeType),
                LibraryModel.attribute("number", .integer64AttributeType, default: 7),
            ]
        }
        badge.properties.append(LibraryModel.attribute("words", .transformableAttributeType))
        leaf.properties = [LibraryModel.attribute("shade", .doubleAttributeType)]
        node.subentities = [leaf]
        LibraryModel.relate(node, "children", many: true, node, "parent", many: false)
        LibraryModel.relate(node, "links", many: true, node, "linkedBy", many: true)
        LibraryModel.relate(node, "badge", many: false, badge, "owner", many: false, rule: .cascadeDeleteRule)
        LibraryModel.relate(
            box, "items", many: true, item, "box", many: false, ordered: true, rule: .cascadeDeleteRule)
        let model = NSManagedObjectModel()
        model.entities = [node, leaf, box, item, badge]
        return model
    }
}

/// Random numbers that come out the same for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = (seed &+ 1) &* 0xD134_2543_DE82_EF95 }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
