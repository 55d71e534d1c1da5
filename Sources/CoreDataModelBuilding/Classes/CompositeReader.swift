import ModelFormat

/// Derives composite types from structures: their members become the elements.
struct CompositeReader {
    let resolver: TypeResolver
    let files: [ScannedFile]
    private(set) var problems: [Diagnostic] = []

    init(resolver: TypeResolver, files: [ScannedFile]) {
        self.resolver = resolver
        self.files = files
    }

    /// Returns the composite type of a structure, followed by those of its members; empty, with a problem, for other types.
    mutating func types(of syntax: TypeSyntax, in scope: [String], for name: String, _ place: SourcePlace)
        -> [CompositeType]
    {
        types(of: syntax, in: scope, for: name, place, within: [])
    }

    private mutating func types(
        of syntax: TypeSyntax, in scope: [String], for name: String, _ place: SourcePlace, within outer: [[String]]
    ) -> [CompositeType] {
        guard let path = structure(syntax, in: scope), !outer.contains(path) else {
            report(
                place, "the type \(syntax.text) of \(name) is no structure of this module with members to store",
                "Declare a structure with stored properties, or leave out type: .composite to store it as JSON")
            return []
        }
        let forms = PropertyForms(resolver: resolver)
        var composite = CompositeType(name: path.last ?? "", attributes: [])
        if files.contains(where: { $0.cases[path + ["CodingKeys"]] != nil }) {
            report(
                place,
                "the structure \(path.joined(separator: ".")) of \(name) has CodingKeys, and the elements of a "
                    + "composite attribute have the names of its members",
                "Remove CodingKeys, or leave out type: .composite to store it as JSON")
            return []
        }
        var inner: [CompositeType] = []
        for member in files.flatMap({ $0.members[path] ?? [] }) {
            guard let type = member.type,
                case .attribute(let kind, let isOptional, let valueClass) = forms.form(of: type, in: path),
                let kind, valueClass == nil
            else {
                let nested = member.type.map {
                    types(of: $0, in: path, for: member.name, place, within: outer + [path])
                }
                guard let nested, let first = nested.first else { return [] }
                var attribute = Attribute(
                    name: member.name, type: .composite, isOptional: member.type?.isOptional == true)
                attribute.compositeName = first.name
                attribute.elements = first.attributes
                composite.attributes.append(attribute)
                inner += nested
                continue
            }
            var facts = AttributeFacts(name: member.name, syntax: type, type: kind, place: place)
            var none: StatementReader?
            composite.attributes.append(facts.property(isOptional: isOptional, &none).initial)
        }
        composite.attributes.sort { $0.name < $1.name }
        return [composite] + inner
    }

    /// Returns the path of a structure with stored properties.
    private func structure(_ syntax: TypeSyntax, in scope: [String]) -> [String]? {
        var syntax = syntax
        if case .optional(let wrapped) = syntax { syntax = wrapped }
        guard case .named(let path, _) = syntax, let found = resolver.declaration(path, in: scope),
            found.types.module == resolver.own.module, found.declaration.kind == .structType,
            files.contains(where: { $0.members[found.declaration.path] != nil })
        else { return nil }
        return found.declaration.path
    }

    private mutating func report(_ place: SourcePlace, _ message: String, _ advice: String) {
        problems.append(
            Diagnostic(message: message, file: place.file, line: place.line, column: place.column, advice: advice))
    }
}

extension TypeSyntax {
    fileprivate var isOptional: Bool {
        if case .optional = self { true } else { false }
    }
}
