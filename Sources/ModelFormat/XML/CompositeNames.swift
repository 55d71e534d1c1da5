/// The named composite types of a model. Composite attributes of compiled models have no type names: their types are named
/// after the attributes, and equal types are shared.
struct CompositeNames {
    private(set) var types: [CompositeType]
    private var namesByElements: [[Attribute]: String] = [:]

    init(_ model: Model) {
        types = model.composites
        for attribute in model.entities.flatMap(\.attributes) { add(attribute) }
    }

    private mutating func add(_ attribute: Attribute) {
        guard attribute.type == .composite, attribute.compositeName == nil else { return }
        for element in attribute.elements { add(element) }
        guard namesByElements[attribute.elements] == nil else { return }
        let base = attribute.name.prefix(1).uppercased() + attribute.name.dropFirst()
        var name = base
        var number = 2
        while types.contains(where: { $0.name == name }) {
            name = "\(base)\(number)"
            number += 1
        }
        namesByElements[attribute.elements] = name
        types.append(CompositeType(name: name, attributes: attribute.elements))
    }

    func name(of attribute: Attribute) -> String? {
        guard attribute.type == .composite else { return nil }
        return attribute.compositeName ?? namesByElements[attribute.elements]
    }
}
