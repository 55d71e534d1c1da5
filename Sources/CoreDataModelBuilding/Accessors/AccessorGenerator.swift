import Foundation
import ModelFormat

/// Generates implementations for a module's `@NSManaged` properties and methods.
///
/// The compiler only declares such members. The generated file defines functions with the expected symbol names, which read and
/// write through the CoreData runtime.
struct AccessorGenerator {
    struct Output {
        var source: String
        var problems: [Diagnostic]
        /// True if the source contains any implementation.
        var hasBodies: Bool
    }

    private let module: String
    private let files: [ScannedFile]
    private let resolver: TypeResolver
    private let types: ModuleTypes
    private let models: [Model]
    private var problems: [Diagnostic] = []
    private var constants: [String] = []
    private var body: [String] = []
    private var imports: Set<String> = []
    private var usedNames: Set<String> = []
    private var constantNames: [String: String] = [:]
    private var namesImportsPublicly = false
    /// The qualified type of the constants that represent properties.
    private var managedProperty = "CoreData.ManagedProperty"

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - files: the scanned sources of the module, including generated classes.
    ///   - models: the module's models, for warnings about unmodeled properties.
    init(module: String, files: [ScannedFile], imported: ImportedModules, models: [Model] = []) {
        self.module = module
        self.files = files
        self.models = models
        types = ModuleTypes(module: module, files: files)
        resolver = TypeResolver(own: types, imported: imported)
    }

    mutating func run() -> Output {
        for place in files.flatMap(\.strays) {
            report(
                place, "@NSManaged stands where no accessor can be generated for it",
                "Declare managed members in a class at the top of the file, in a nested class, or in an extension")
        }
        for owner in owners() { write(owner) }
        problems += ModelFit(module: module, files: files, resolver: resolver, models: models).problems()
        problems += ImportHooks(files: files, resolver: resolver, models: models).problems()
        var lines = [
            "// Bodies for the @NSManaged members of module \(module). Made by modelc; changes will be lost.", "",
            // Apple's runtime provides them, in packages that a Mac builds for both.
            "#if !canImport(ObjectiveC)",
        ]
        let modules = ["CoreData"] + imports.sorted()
        if namesImportsPublicly {
            // Where imports are internal by default, public members need public imports of their types' modules; elsewhere
            // `public` may cause a warning.
            lines += ["#if hasFeature(InternalImportsByDefault)"] + modules.map { "public import \($0)" }
            lines += ["#else"] + modules.map { "import \($0)" } + ["#endif"]
        } else {
            lines += modules.map { "import \($0)" }
        }
        lines += constants.isEmpty ? [] : [""] + constants
        lines += body + ["#endif"]
        return Output(source: lines.joined(separator: "\n") + "\n", problems: problems, hasBodies: !body.isEmpty)
    }

    private mutating func report(
        _ place: SourcePlace, _ message: String, _ advice: String, severity: Diagnostic.Severity = .error
    ) {
        problems.append(
            Diagnostic(severity: severity, message: message, file: place.file, line: place.line, advice: advice))
    }

    // MARK: Classes

    /// A class with its managed members from all files.
    private struct Owner {
        var declaration: TypeDeclaration
        var nominal: NominalType
        /// The module of the class, if it is another one.
        var foreignModule: String?
        var properties: [ManagedPropertyDeclaration] = []
        var methods: [ManagedMethodDeclaration] = []
    }

    private mutating func owners() -> [Owner] {
        var owners: [String: Owner] = [:]
        func add(_ owner: DeclarationOwner, _ place: SourcePlace, _ apply: (inout Owner) -> Void) {
            guard let found = resolver.ownerClass(owner.path), let nominal = found.types.nominal(found.declaration.path)
            else {
                report(
                    place, "the class \(owner.path.joined(separator: ".")) is not among the sources",
                    "Declare it in this target or in one the target depends on")
                return
            }
            guard case .classType = found.declaration.kind, !found.declaration.isGeneric else {
                report(
                    place, "\(owner.path.joined(separator: ".")) is no class, or a generic one",
                    "Managed members belong in a class that is not generic")
                return
            }
            var entry =
                owners[nominal.key]
                ?? Owner(
                    declaration: found.declaration, nominal: nominal,
                    foreignModule: found.types.module == module ? nil : found.types.module)
            apply(&entry)
            owners[nominal.key] = entry
        }
        for file in files {
            for property in file.properties { add(property.owner, property.place) { $0.properties.append(property) } }
            for method in file.methods { add(method.owner, method.place) { $0.methods.append(method) } }
        }
        return owners.values.sorted { $0.nominal.key < $1.nominal.key }
    }

    private mutating func write(_ owner: Owner) {
        // A private class cannot be named here; its objects can still be accessed through its root class.
        let isHidden = owner.foreignModule == nil && types.access(owner.declaration.path).isFileLocal
        let site = WritingSite(types: types, scope: [])
        let name: String
        do throws(TypeProblem) {
            let found = owner.foreignModule == nil ? types : resolver.ownerClass(owner.declaration.path)?.types ?? types
            name =
                isHidden
                ? try site.text("NSManagedObject", ofFramework: "CoreData")
                : site.text(owner.declaration.path, of: found)
            managedProperty = try site.text("ManagedProperty", ofFramework: "CoreData")
        } catch {
            return report(owner.declaration.place, error.message, error.advice)
        }
        var lines: [String] = []
        let known = managedNames(of: owner)
        checkModel(owner)
        for property in owner.properties { lines += write(property, of: owner, known: known) }
        for method in owner.methods { lines += write(method, of: owner, known: known) }
        guard !lines.isEmpty else { return }
        if let module = owner.foreignModule { imports.insert(module) }
        body += ["", "extension \(name) {"] + lines + ["}"]
    }

    /// Returns the names of the managed properties of a class, including inherited ones.
    private func managedNames(of owner: Owner) -> [String] {
        let paths = [owner.declaration.path] + resolver.ancestors(of: owner.declaration)
        return files.flatMap(\.properties).filter { paths.contains($0.owner.path) }.map(\.name)
    }

    // MARK: Members

    /// Returns the modifiers before `func`.
    ///
    /// The compiler treats managed members as replaceable, and crashes if the implementation in another module is not, hence
    /// `dynamic`. Private and internal members of a public class are in the vtables of subclasses in other modules, so they are
    /// public too where their types allow it.
    private mutating func modifiers(_ owner: Owner, _ types: [ResolvedType]) -> String {
        let ownerAccess = owner.foreignModule == nil ? self.types.access(owner.declaration.path) : .public
        guard ownerAccess >= .public, types.allSatisfy({ $0.access >= .public }) else { return "dynamic final" }
        if types.contains(where: { !$0.isOfStandardLibrary }) { namesImportsPublicly = true }
        return "public dynamic final"
    }

    private func discriminator(_ access: AccessLevel, _ place: SourcePlace, _ owner: Owner) -> String? {
        guard access.isFileLocal, !owner.nominal.path.contains(where: { $0.discriminator != nil }) else { return nil }
        return types.discriminator(file: place.file)
    }

    private func wrapped(_ lines: [String], in conditions: [String]) -> [String] {
        guard !conditions.isEmpty else { return lines }
        return ["#if \(conditions.map { "(\($0))" }.joined(separator: " && "))"] + lines + ["#endif"]
    }

    /// Returns the name of the constant that represents a property, declaring it on first use.
    private mutating func constant(
        for key: String, of owner: Owner, conditions: [String]
    ) -> String {
        let place = ([owner.nominal.key, key] + conditions).joined(separator: "\n")
        if let known = constantNames[place] { return known }
        let name = unique("_mr_\(owner.declaration.path.joined(separator: "_"))_\(key)")
        let literal = key.replacingOccurrences(of: "\"", with: "\\\"")
        constants += wrapped(["private let \(name) = \(managedProperty)(\"\(literal)\")"], in: conditions)
        constantNames[place] = name
        return name
    }

    private mutating func unique(_ name: String) -> String {
        let name = String(name.map { $0.isLetter || $0.isNumber || $0 == "_" ? $0 : "_" })
        var candidate = name
        var number = 2
        while !usedNames.insert(candidate).inserted {
            candidate = "\(name)_\(number)"
            number += 1
        }
        return candidate
    }

    /// Returns the site of the members of a class.
    private func site(in owner: Owner) -> WritingSite {
        WritingSite(types: types, scope: owner.declaration.path)
    }

    private func isMangleable(_ name: String) -> Bool {
        name.utf8.allSatisfy { $0 < 0x80 }
            && name.unicodeScalars.first.map { $0.properties.isAlphabetic || $0 == "_" } == true
            && name.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
    }

    private mutating func write(
        _ property: ManagedPropertyDeclaration, of owner: Owner, known: [String]
    ) -> [String] {
        let place = property.place
        if let obstacle = property.obstacle {
            report(
                place, "the managed property \(property.name) cannot be given accessors: \(obstacle)",
                "Declare it as \"@NSManaged var \(property.name): Type\"")
            return []
        }
        guard let syntax = property.type else {
            report(place, "the managed property \(property.name) has no type", "Write the type out")
            return []
        }
        guard isMangleable(property.name), owner.declaration.path.allSatisfy(isMangleable) else {
            report(
                place, "the name \(property.name) has characters outside ASCII",
                "Name managed properties in ASCII letters")
            return []
        }
        let type: ResolvedType
        let primitiveKey = primitiveKey(property.name, known)
        let constant = constant(for: primitiveKey ?? property.name, of: owner, conditions: property.conditions)
        do throws(TypeProblem) {
            type = try resolver.resolve(syntax, in: owner.declaration.path)
        } catch {
            report(place, "\(error.message) (property \(property.name))", error.advice)
            return []
        }
        var bodies = PropertyBodies(type: type, constant: constant, isPrimitive: primitiveKey != nil)
        if primitiveKey != nil, mayModel(property.name, owner) {
            let own = self.constant(for: property.name, of: owner, conditions: property.conditions)
            bodies = PropertyBodies(of: own, elsePrimitive: bodies, type: type)
        }
        imports.formUnion(type.imports)
        let names = Mangler.accessors(
            of: property.name, type: type.mangled, in: owner.nominal,
            extensionModule: owner.foreignModule == nil ? nil : module,
            discriminator: discriminator(property.access, place, owner))
        let start = modifiers(owner, [type]) + " func "
        let suffix = unique("\(owner.declaration.path.joined(separator: "_"))_\(property.name)")
        return wrapped(
            [
                "    @_silgen_name(\"\(names.getter)\")",
                "    \(start)_mr_get_\(suffix)() -> \(type.text) { \(bodies.getter) }",
                "    @_silgen_name(\"\(names.setter)\")",
                "    \(start)_mr_set_\(suffix)(_ value: __owned \(type.text)) { \(bodies.setter) }",
            ],
            in: property.conditions)
    }

    /// Returns the key of the property with the primitive accessor `primitiveName`; nil for other names.
    private func primitiveKey(_ name: String, _ known: [String]) -> String? {
        guard name.hasPrefix("primitive"), let first = name.dropFirst("primitive".count).first, first.isUppercase else {
            return nil
        }
        let capitalized = String(name.dropFirst("primitive".count))
        let others =
            known + models.flatMap { $0.entities.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) } }
        if let match = others.first(where: { $0.prefix(1).uppercased() + $0.dropFirst() == capitalized }) {
            return match
        }
        return capitalized.prefix(1).lowercased() + capitalized.dropFirst()
    }

    /// Returns whether an entity of the class may have a property of that exact name: one does, or its entities are unknown
    /// here.
    private func mayModel(_ name: String, _ owner: Owner) -> Bool {
        guard let className = owner.declaration.path.last else { return true }
        let entities = models.flatMap { model in
            model.entities.filter { $0.swiftClassName == className }.map { model.propertyNames(around: $0) }
        }
        return entities.isEmpty || entities.contains { $0.contains(name) }
    }

    private mutating func write(
        _ method: ManagedMethodDeclaration, of owner: Owner, known: [String]
    ) -> [String] {
        let place = method.place
        let names = known + models.flatMap { $0.entities.flatMap { $0.relationships.map(\.name) } }
        guard method.obstacle == nil, let action = RelationshipMethod(method), isMangleable(method.name) else {
            let reason = method.obstacle.map { ": \($0)" } ?? ": its name is not that of a relationship accessor"
            report(
                place, "the managed method \(method.name) cannot be given a body\(reason)",
                "Managed methods are addToX, removeFromX, insertIntoX, replaceX and their Objective-C spellings")
            return []
        }
        var parameters: [(label: String?, type: ResolvedType)] = []
        var result: ResolvedType?
        let body: String
        let key = action.key(among: names)
        let constant = constant(for: key, of: owner, conditions: method.conditions)
        do throws(TypeProblem) {
            for parameter in method.parameters {
                parameters.append((parameter.label, try resolver.resolve(parameter.type, in: owner.declaration.path)))
            }
            if let syntax = method.result { result = try resolver.resolve(syntax, in: owner.declaration.path) }
            body = try MethodBody(constant: constant, site: site(in: owner)).text(
                action.action, parameters.map(\.type))
        } catch {
            report(place, "\(error.message) (method \(method.name))", error.advice)
            return []
        }
        if let result, result.mangled != .void {
            report(
                place, "the managed method \(method.name) returns a value, which relationship accessors do not",
                "Leave the result out")
            return []
        }
        let types = parameters.map(\.type)
        for type in types { imports.formUnion(type.imports) }
        let symbol = Mangler.method(
            method.name, parameters: parameters.map { ($0.label, $0.type.mangled) }, result: .void, in: owner.nominal,
            extensionModule: owner.foreignModule == nil ? nil : module,
            discriminator: discriminator(method.access, place, owner))
        let modifiers = modifiers(owner, types)
        let list = zip(["a", "b"], types).map { "_ \($0): \($1.text)" }.joined(separator: ", ")
        let name = unique("_mr_do_\(owner.declaration.path.joined(separator: "_"))_\(method.name)")
        return wrapped(
            [
                "    @_silgen_name(\"\(symbol)\")",
                "    \(modifiers) func \(name)(\(list)) { \(body) }",
            ],
            in: method.conditions)
    }

    // MARK: The model

    /// Warns about properties that are missing in the entity of a class.
    private mutating func checkModel(_ owner: Owner) {
        guard let className = owner.declaration.path.last, owner.declaration.path.count == 1 else { return }
        for model in models {
            let entities = model.entities.filter { $0.swiftClassName == className }
            guard !entities.isEmpty else { continue }
            let names = Set(entities.flatMap { model.propertyNames(around: $0) })
            for property in owner.properties where !names.contains(property.name) {
                if primitiveKey(property.name, Array(names)).map(names.contains) == true { continue }
                report(
                    property.place,
                    "the entity \(entities[0].name) has no property named \(property.name)",
                    "Reading it will stop the program. Run swift package generate-model, add it to the model, or take it "
                        + "out of the class",
                    severity: .warning)
            }
        }
    }
}

extension Model {
    /// Returns the names of an entity's properties, including inherited ones and those of its subentities, which may share its
    /// class.
    func propertyNames(around entity: Entity) -> Set<String> {
        var names: Set<String> = []
        var visited: Set<String> = []
        func add(_ entity: Entity) {
            guard visited.insert(entity.name).inserted else { return }
            names.formUnion(entity.attributes.map(\.name))
            names.formUnion(entity.relationships.map(\.name))
            names.formUnion(entity.fetchedProperties.map(\.name))
        }
        var current: Entity? = entity
        while let next = current, !visited.contains(next.name) {
            add(next)
            current = next.parentName.flatMap { self.entity(named: $0) }
        }
        for child in entities where child.parentName == entity.name { add(child) }
        return names
    }
}
