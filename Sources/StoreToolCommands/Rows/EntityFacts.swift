import ModelFormat
import StoreTools

/// An entity of a model with everything that it inherits.
struct EntityFacts {
    let name: String
    /// The entity and its superentities, upward.
    let lineage: [Entity]
    let attributes: [Attribute]
    let toOnes: [Relationship]
    let toManys: [Relationship]

    /// - Throws: ``StoreToolError`` if the model has no such entity, with the nearest name.
    init(_ name: String, in model: Model) throws {
        guard model.entity(named: name) != nil else {
            let near = Suggestion.nearest(to: name, among: model.entities.map(\.name))
            let names = model.entities.map(\.name).sorted()
            let list = names.prefix(20).joined(separator: ", ") + (names.count > 20 ? ", …" : "")
            throw StoreToolError(
                .invalidQuery, "The model has no entity “\(name)”.",
                advice: near.map { "Did you mean \($0)?" } ?? "It has \(list).")
        }
        var lineage: [Entity] = []
        var next: String? = name
        while let current = next.flatMap(model.entity(named:)), !lineage.contains(where: { $0.name == current.name }) {
            lineage.append(current)
            next = current.parentName
        }
        self.name = name
        self.lineage = lineage
        attributes = lineage.flatMap(\.attributes).filter { !$0.isTransient }.sorted { $0.name < $1.name }
        let relationships = lineage.flatMap(\.relationships).filter { !$0.isTransient }.sorted { $0.name < $1.name }
        toOnes = relationships.filter { !$0.isToMany }
        toManys = relationships.filter(\.isToMany)
    }

    /// The columns of a query that names none.
    var columns: [String] { attributes.map(\.name) + toOnes.map(\.name) }

    func attribute(_ name: String) -> Attribute? { attributes.first { $0.name == name } }
}
