/// The place generated code stands at, which decides how a type has to be named there.
///
/// Frameworks' types and those of other modules are named with their module, so that types of the program's own with the
/// same names do not come in between; without where a type hides the module.
struct WritingSite: Sendable {
    /// The types of the module the code is part of.
    let types: ModuleTypes
    /// The names of the types around.
    let scope: [String]

    /// A type of the standard library, of Foundation or of CoreData.
    func text(_ name: String, ofFramework module: String) throws(TypeProblem) -> String {
        // Swift code knows Foundation's parts as Foundation.
        let module = module == "FoundationEssentials" ? "Foundation" : module
        guard types.visible(module, from: scope) != nil else { return "\(module).\(name)" }
        guard types.visible(name, from: scope) == nil else {
            throw TypeProblem(
                message: "\(module)'s type \(name) cannot be named where types called \(module) and \(name) hide it",
                advice: "Rename one of these")
        }
        return name
    }

    /// A type that a module's sources declare.
    func text(_ path: [String], of other: ModuleTypes) -> String {
        let name = path.joined(separator: ".")
        let qualified = "\(other.module).\(name)"
        let isHidden = other[[other.module]] != nil || types.visible(other.module, from: scope) != nil
        if other.module != types.module { return isHidden ? name : qualified }
        // The module's own types mean themselves, unless one nested in the class has the same name.
        guard let first = path.first, let visible = types.visible(first, from: scope), visible.path != [first] else {
            return name
        }
        return isHidden ? name : qualified
    }
}
