/// The scope of generated code, which determines the spelling of types.
///
/// Types of frameworks and other modules are qualified with their module, to avoid conflicts with types of the program; they
/// are unqualified where a type shadows the module's name.
struct WritingSite: Sendable {
    /// The types of the module the code is part of.
    let types: ModuleTypes
    /// The names of the enclosing types.
    let scope: [String]

    /// Returns the spelling of a type of the standard library, Foundation or CoreData.
    func text(_ name: String, ofFramework module: String) throws(TypeProblem) -> String {
        // In Swift code the parts of Foundation are named Foundation.
        let module = module == "FoundationEssentials" ? "Foundation" : module
        guard types.visible(module, from: scope) != nil else { return "\(module).\(name)" }
        guard types.visible(name, from: scope) == nil else {
            throw TypeProblem(
                message: "\(module)'s type \(name) cannot be named where types called \(module) and \(name) hide it",
                advice: "Rename one of these")
        }
        return name
    }

    /// Returns the spelling of a type that a module's sources declare.
    func text(_ path: [String], of other: ModuleTypes) -> String {
        let name = path.joined(separator: ".")
        let qualified = "\(other.module).\(name)"
        let isHidden = other[[other.module]] != nil || types.visible(other.module, from: scope) != nil
        if other.module != types.module { return isHidden ? name : qualified }
        // The module's own types are unqualified, unless a nested type of the class has the same name.
        guard let first = path.first, let visible = types.visible(first, from: scope), visible.path != [first] else {
            return name
        }
        return isHidden ? name : qualified
    }
}
