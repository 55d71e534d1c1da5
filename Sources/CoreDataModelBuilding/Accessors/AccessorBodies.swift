/// The statements that read and write a property.
struct PropertyBodies {
    let getter: String
    let setter: String

    init(type: ResolvedType, constant: String, isPrimitive: Bool) {
        switch type.handling {
        case .value where isPrimitive:
            getter = "managedPrimitive(\(constant))"
            setter = "setManagedPrimitive(value, for: \(constant))"
        case .value:
            getter = "managedValue(\(constant))"
            setter = "setManagedValue(value, for: \(constant))"
        case .transformable:
            getter = "managedTransformable(\(constant))"
            setter = "setManagedTransformable(value, for: \(constant))"
        case .rawValue(_, let firstCase):
            getter = "managedRawValue(\(constant)\(firstCase.map { ", or: .\($0)" } ?? ""))"
            setter = "setManagedRawValue(value, for: \(constant))"
        }
    }

    /// Creates the bodies of a property named like the primitive value of another one: if the model has a property of that
    /// exact name, they access it instead.
    init(of constant: String, elsePrimitive primitive: PropertyBodies, type: ResolvedType) {
        let own = PropertyBodies(type: type, constant: constant, isPrimitive: false)
        let condition = "hasManagedProperty(\(constant))"
        getter = "\(condition) ? \(own.getter) : \(primitive.getter)"
        setter = "if \(condition) { \(own.setter) } else { \(primitive.setter) }"
    }
}

/// The statement that implements a relationship method; its parameters are named `a` and `b`.
struct MethodBody {
    let constant: String
    let site: WritingSite

    func text(_ action: RelationshipMethod.Action, _ types: [ResolvedType]) throws(TypeProblem) -> String {
        switch action {
        case .add: "addManagedObject(a, to: \(constant))"
        case .remove: "removeManagedObject(a, from: \(constant))"
        case .addAll: "addManagedObjects(\(try collection("a", types[0])), to: \(constant))"
        case .removeAll: "removeManagedObjects(\(try collection("a", types[0])), from: \(constant))"
        case .insert: "insertManagedObject(a, into: \(constant), at: b)"
        case .insertAll:
            "insertManagedObjects(\(try array("a", types[0])), into: \(constant), at: \(try indexes("b", types[1])))"
        case .removeAt: "removeManagedObject(from: \(constant), at: a)"
        case .removeAtAll: "removeManagedObjects(from: \(constant), at: \(try indexes("a", types[0])))"
        case .replace: "replaceManagedObject(in: \(constant), at: a, with: b)"
        case .replaceAll:
            "replaceManagedObjects(in: \(constant), at: \(try indexes("a", types[0])), "
                + "with: \(try array("b", types[1])))"
        }
    }

    private func collection(_ name: String, _ type: ResolvedType) throws(TypeProblem) -> String {
        switch type.frameworkName {
        case "Set": "\(try site.text("NSSet", ofFramework: "Foundation"))(set: \(name))"
        case "Array", "NSArray":
            "\(try site.text("NSOrderedSet", ofFramework: "Foundation"))(array: \(try array(name, type)))"
        default: name
        }
    }

    private func array(_ name: String, _ type: ResolvedType) throws(TypeProblem) -> String {
        guard type.frameworkName == "NSArray" else { return name }
        return "\(name) as! [\(try site.text("NSManagedObject", ofFramework: "CoreData"))]"
    }

    private func indexes(_ name: String, _ type: ResolvedType) throws(TypeProblem) -> String {
        guard type.frameworkName == "IndexSet" else { return name }
        return "\(name) as \(try site.text("NSIndexSet", ofFramework: "Foundation"))"
    }
}
