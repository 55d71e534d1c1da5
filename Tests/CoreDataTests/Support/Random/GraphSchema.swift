import CoreData
import CoreDataTestSupport

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
