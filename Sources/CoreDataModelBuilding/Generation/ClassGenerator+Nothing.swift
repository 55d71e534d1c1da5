import ModelFormat

extension ClassGenerator {
    /// Returns the entities with classes to generate that the model places in another module.
    func entitiesOfOtherModules(all: Bool) -> [Entity] {
        guard let module else { return [] }
        return model.entities.filter { entity in
            guard all || entity.codeGeneration != .manual, let named = entity.moduleName else { return false }
            return named != module
        }
    }

    /// Returns the reason why there is no class to generate, and advice; `nil` if there is one.
    func reasonForNothing(all: Bool) -> (message: String, advice: String)? {
        guard entities(all: all).isEmpty else { return nil }
        if model.entities.isEmpty { return ("the model has no entities", "Add some, or name another version") }
        if model.entities.allSatisfy({ $0.swiftClassName == nil }) {
            return ("no entity names a class", "Give the entities class names in the model")
        }
        let others = Set(entitiesOfOtherModules(all: all).compactMap(\.moduleName)).sorted().joined(separator: ", ")
        if let module, !others.isEmpty {
            return (
                "the model places its classes in the module \(others), not in \(module)",
                "Pass --module with that name, or set the entities' module to the current product module"
            )
        }
        return (
            "the code generation of every entity is Manual/None",
            "Choose Class Definition or Category/Extension in the model, or pass --all"
        )
    }
}
