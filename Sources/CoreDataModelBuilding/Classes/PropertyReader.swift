import ModelFormat

/// Reads the properties of a class, with the statements about them.
struct PropertyReader {
    let resolver: TypeResolver
    let files: [ScannedFile]
    /// The entities of the classes, by path.
    let entityNames: [[String]: String]
    /// The names of the properties of superclasses.
    let inherited: Set<String>
    /// The properties of the entity in the model.
    let known: KnownProperties?
    private(set) var problems: [Diagnostic] = []
    private(set) var notes: [Diagnostic] = []

    /// Adds the properties that a class declares to its entity, or to that of a subclass.
    ///
    /// - Parameter scope: the path of the class that declares them.
    mutating func read(
        _ properties: [ManagedPropertyDeclaration], stored: [StoredPropertyDeclaration],
        methods: [ManagedMethodDeclaration], statements: [EntityStatement], in scope: [String],
        to entity: inout EntityClass
    ) {
        let forms = PropertyForms(resolver: resolver)
        var about = statementsByKey(statements)
        for property in properties where property.obstacle == nil && !Self.ownNames.contains(property.name) {
            guard let syntax = property.type, let name = attributeName(property.name, among: properties) else {
                continue
            }
            // In the branches of an undecided #if.
            if !property.conditions.isEmpty, entity.attributes.contains(where: { $0.name == name }) { continue }
            let statement = about.removeValue(forKey: property.name) ?? about.removeValue(forKey: name)
            add(
                name, syntax, forms.form(of: syntax, in: scope), property.namePlace, statement,
                isStored: false, initialValue: nil, methods: methods, to: &entity)
        }
        for property in stored {
            guard let key = property.key, let syntax = property.type else {
                report(
                    property.place,
                    property.key == nil
                        ? "the name of the attribute cannot be read" : "the type of \(property.name) cannot be read",
                    "Write @Stored(\"name\") var name: Type")
                continue
            }
            let value = property.initialValue.map { raw($0, of: syntax, in: scope) }
            let statement = about.removeValue(forKey: property.name) ?? about.removeValue(forKey: key)
            add(
                key, syntax, forms.storedForm(of: syntax, in: scope), property.place, statement,
                isStored: true, initialValue: value ?? nil, methods: [], to: &entity)
        }
        for (key, statement) in about.sorted(by: { $0.key < $1.key }) {
            report(
                statement.place, "\(key) is no @NSManaged or @Stored property of \(scope.joined(separator: "."))",
                "Make the statement in the class that declares the property")
        }
    }

    private mutating func statementsByKey(_ statements: [EntityStatement]) -> [String: EntityStatement] {
        var about: [String: EntityStatement] = [:]
        for statement in statements where statement.name == "attribute" || statement.name == "relationship" {
            var reader = StatementReader(statement)
            guard let key = reader.keys().first else {
                problems += reader.problems
                continue
            }
            if about[key] != nil {
                report(statement.place, "there are two statements about \(key)", "Make one of them")
            }
            about[key] = statement
        }
        return about
    }

    /// Returns the name of the attribute of a property; nil for the primitive value of another property, `primitiveName`
    /// beside `name`. Without one, the primitive value alone stands for the attribute.
    private func attributeName(_ name: String, among properties: [ManagedPropertyDeclaration]) -> String? {
        guard name.hasPrefix("primitive"), let first = name.dropFirst(9).first, first.isUppercase,
            known?.contains(name) != true
        else { return name }
        let rest = name.dropFirst(9)
        let candidates = [rest.prefix(1).lowercased() + rest.dropFirst(), String(rest)]
        let isDeclared = candidates.contains { candidate in
            inherited.contains(candidate) || properties.contains { $0.name == candidate }
        }
        if isDeclared { return nil }
        return candidates.first { known?.contains($0) == true } ?? candidates[0]
    }

    /// The properties of every managed object, which a class may override.
    private static let ownNames: Set<String> = [
        "objectID", "entity", "managedObjectContext", "hasChanges", "isInserted", "isUpdated", "isDeleted", "isFault",
        "faultingState", "hasPersistentChangedValues",
    ]

    // MARK: Properties

    private mutating func add(
        _ name: String, _ syntax: TypeSyntax, _ form: PropertyForm, _ place: SourcePlace, _ statement: EntityStatement?,
        isStored: Bool, initialValue: ModelValue?, methods: [ManagedMethodDeclaration], to entity: inout EntityClass
    ) {
        var reader = statement.map { StatementReader($0) }
        defer { problems += reader?.problems ?? [] }
        let isAboutRelationship = statement?.name == "relationship"
        if let word = reader?.member("type"), Self.types[word] == nil, let place = reader?.place("type") {
            reader?.report(
                place, ".\(word) is no type of an attribute", "Write .integer64, .string, .date or another type")
        }
        switch form {
        case .attribute(let type, let isOptional, let valueClass):
            if isAboutRelationship {
                return report(
                    statement?.place ?? place, "\(name) is an attribute: \(syntax.text)",
                    "Call attribute(\\.\(name), …)")
            }
            let stated = reader?.member("type").flatMap { Self.types[$0] }
            guard let type = stated ?? type ?? known?.attribute(name)?.type else {
                let isNumber = syntax.text.contains("NSNumber")
                return report(
                    place, "the type \(syntax.text) of \(name) does not say which attribute stores it",
                    "State it: attribute(\\.\(name), type: .\(isNumber ? "integer64" : "transformable"))")
            }
            var builder = AttributeFacts(name: name, syntax: syntax, type: type, place: place)
            builder.isTypeStated = stated != nil
            builder.isStored = isStored
            if type == .composite, isStored {
                var composites = CompositeReader(resolver: resolver, files: files)
                let types = composites.types(of: syntax, in: entity.path, for: name, place)
                problems += composites.problems
                builder.composite = types.first
                entity.composites += types
            }
            builder.valueClass = valueClass
            builder.initialValue = initialValue
            // The initial value of a document is read where none is stored; the model has no such default.
            let isDocument = isStored && (type == .composite || type == .binary && initialValue == nil)
            entity.attributes.append(builder.property(isOptional: isOptional || isDocument, &reader))
            problems += builder.problems
        case .toOne(let path, let isOptional):
            if isAboutRelationship || statement == nil {
                return relationship(
                    name, syntax, to: path, isToMany: false, isOrdered: false, isOptional: isOptional, place, &reader,
                    methods, &entity)
            }
            report(statement?.place ?? place, "\(name) is a relationship", "Call relationship(\\.\(name), …)")
        case .toMany(let path, let isOrdered):
            // A set of text, say, with a transformer is an attribute.
            if isAboutRelationship || statement == nil {
                return relationship(
                    name, syntax, to: path, isToMany: true, isOrdered: isOrdered, isOptional: true, place, &reader,
                    methods, &entity)
            }
            report(statement?.place ?? place, "\(name) is a relationship", "Call relationship(\\.\(name), …)")
        case .impossible(let message, let advice):
            let stated = reader?.member("type").flatMap { Self.types[$0] }
            let transformer = reader?.string("transformer")
            if let type = stated ?? (transformer == nil ? known?.attribute(name)?.type : .transformable) {
                var (builder, isOptional) = (
                    AttributeFacts(name: name, syntax: syntax, type: type, place: place), false
                )
                builder.isTypeStated = stated != nil
                var inner = syntax
                if case .optional(let wrapped) = syntax { (inner, isOptional) = (wrapped, true) }
                if type == .transformable { builder.valueClass = inner.text }
                entity.attributes.append(builder.property(isOptional: isOptional, &reader))
                problems += builder.problems
                return
            }
            if known?.contains(name) == true { return }
            report(place, "\(name) cannot be a property of an entity: \(message)", advice)
        }
    }

    private mutating func relationship(
        _ name: String, _ syntax: TypeSyntax, to path: [String]?, isToMany: Bool, isOrdered: Bool, isOptional: Bool,
        _ place: SourcePlace, _ reader: inout StatementReader?, _ methods: [ManagedMethodDeclaration],
        _ entity: inout EntityClass
    ) {
        let stated = reader?.type("to").flatMap { resolver.ownerClass($0)?.declaration.path }
        let found = path ?? stated ?? destination(in: methods, of: name)
        guard let destinationName = found.map({ entityNames[$0] }) ?? known?.relationship(name)?.destinationName else {
            if let found, known?.contains(name) != true {
                return report(
                    place,
                    "\(name) leads to the class \(found.joined(separator: ".")), which has no entity in this module",
                    "Declare the class in the same target")
            }
            if known?.contains(name) == true { return }
            return report(
                place, "the type \(syntax.text) of \(name) does not say to which class the relationship leads",
                (isOrdered || !isToMany ? "State it" : "Declare it as Set<Class>, or state it")
                    + ": relationship(\\.\(name), to: Class.self)")
        }
        var builder = RelationshipFacts(name: name, syntax: syntax, destinationName: destinationName, place: place)
        builder.isToMany = isToMany
        builder.isOrdered = isOrdered
        let inverse = reader?.inverse()
        if let inverse {
            let owner = resolver.ownerClass(inverse.owner)?.declaration.path
            builder.inverse = inverse.key
            if owner.flatMap({ entityNames[$0] }) == nil {
                report(
                    reader?.place("inverse") ?? place,
                    "\(inverse.owner.joined(separator: ".")) is no class with an entity in this module",
                    "Write the inverse as \\\(destinationName).name")
            }
        }
        entity.relationships.append(builder.property(isOptional: isOptional, &reader))
    }

    /// Returns the class that the methods of a to-many relationship take: `addToBooks(_: Book)`.
    private func destination(in methods: [ManagedMethodDeclaration], of name: String) -> [String]? {
        for method in methods {
            let capital = name.prefix(1).uppercased() + name.dropFirst()
            let isNamed = RelationshipMethod(method).map { $0.key(among: [name]) == name } ?? false
            guard isNamed || ["add\(capital)Object:", "remove\(capital)Object:"].contains(method.selector) else {
                continue
            }
            for parameter in method.parameters {
                if resolver.isManagedObject(parameter.type, in: method.owner.path),
                    case .named(let path, _) = parameter.type,
                    let found = resolver.ownerClass(path, in: method.owner.path)
                {
                    return found.declaration.path
                }
            }
        }
        return nil
    }

    /// Returns the raw value of a literal or of a case of an enumeration.
    private func raw(_ value: StatedValue, of syntax: TypeSyntax, in scope: [String]) -> ModelValue? {
        guard case .member(let name) = value else {
            switch value {
            case .string(let text): return .string(text)
            case .number(let text):
                return SwiftLiteral.integer(text).map { .integer($0) } ?? Double(text).map { .double($0) }
            case .bool(let flag): return .bool(flag)
            default: return nil
            }
        }
        var syntax = syntax
        if case .optional(let wrapped) = syntax { syntax = wrapped }
        guard case .named(let path, _) = syntax, let found = resolver.declaration(path, in: scope),
            found.types.module == resolver.own.module
        else { return nil }
        let isText = found.declaration.inherited.first == .named(["String"], arguments: [])
        let isFractional = [["Double"], ["Float"]].contains {
            found.declaration.inherited.first == .named($0, arguments: [])
        }
        var next: Int64 = 0
        for entry in files.compactMap({ $0.cases[found.declaration.path] }).joined() {
            var raw: ModelValue? = isText ? .string(entry.name) : isFractional ? .double(Double(next)) : .integer(next)
            switch entry.rawValue {
            case nil: break
            case .string(let text)?: raw = .string(text)
            case .number(let text)? where isFractional:
                raw = Double(text).map { .double($0) }
                next = Double(text).flatMap { Int64(exactly: $0) } ?? next
            case .number(let text)?:
                raw = SwiftLiteral.integer(text).map { .integer($0) }
                next = SwiftLiteral.integer(text) ?? next
            default: raw = nil
            }
            if entry.name == name { return raw }
            next &+= 1
        }
        return nil
    }

    private mutating func report(_ place: SourcePlace, _ message: String, _ advice: String) {
        problems.append(
            Diagnostic(message: message, file: place.file, line: place.line, column: place.column, advice: advice))
    }

    private static let types: [String: AttributeType] = [
        "integer16": .integer16, "integer32": .integer32, "integer64": .integer64, "decimal": .decimal,
        "double": .double, "float": .float, "string": .string, "boolean": .boolean, "date": .date,
        "binaryData": .binary, "uuid": .uuid, "uri": .uri, "transformable": .transformable, "composite": .composite,
    ]
}
