import Foundation

/// Finds the types and `@NSManaged` members of a Swift file.
///
/// It parses declarations, not code: bodies of functions and accessors are skipped as balanced brackets. Unknown syntax is
/// skipped token by token, so that only its contents are lost.
struct DeclarationScanner {
    private let tokens: [SwiftToken]
    private var position = 0
    private var result: ScannedFile
    private let condition: BuildCondition
    private var branches: [Branch] = []

    /// An open `#if`.
    private struct Branch {
        /// The conditions of the preceding branches.
        var earlier: [String] = []
        var present: String?
        /// True if the current branch is certainly inactive.
        var isDead = false
        /// True if a preceding branch is certainly active.
        var isDecided = false
    }

    static func scan(_ source: String, path: String, condition: BuildCondition = BuildCondition()) -> ScannedFile {
        var scanner = DeclarationScanner(
            tokens: SwiftTokenizer.tokens(of: source), result: ScannedFile(path: path), condition: condition)
        while scanner.position < scanner.tokens.count { scanner.member(of: nil) }
        return scanner.result
    }

    private init(tokens: [SwiftToken], result: ScannedFile, condition: BuildCondition) {
        self.tokens = tokens
        self.result = result
        self.condition = condition
    }

    // MARK: Tokens

    private var token: SwiftToken? { position < tokens.count ? tokens[position] : nil }

    private func isSymbol(_ text: String, at offset: Int = 0) -> Bool {
        guard position + offset < tokens.count else { return false }
        return tokens[position + offset].kind == .symbol && tokens[position + offset].text == text
    }

    private func isWord(_ text: String, at offset: Int = 0) -> Bool {
        guard position + offset < tokens.count else { return false }
        return tokens[position + offset].kind == .word && tokens[position + offset].text == text
    }

    private func name(at offset: Int = 0) -> String? {
        guard position + offset < tokens.count else { return nil }
        let token = tokens[position + offset]
        return token.kind == .word || token.kind == .escapedWord ? token.text : nil
    }

    private func place() -> SourcePlace { SourcePlace(file: result.path, line: token?.line ?? 0) }

    private mutating func parseType() -> TypeSyntax? {
        var parser = TypeParser(tokens: tokens, position: position)
        let type = parser.type()
        if type != nil { position = parser.position }
        return type
    }

    /// Skips balanced brackets with their contents, recording misplaced managed members.
    private mutating func skipBalanced() {
        var depth = 0
        while let token {
            if token.kind == .symbol {
                if "([{".contains(token.text) { depth += 1 }
                if ")]}".contains(token.text) { depth -= 1 }
                if token.text == "@", isWord("NSManaged", at: 1), !isInDeadBranch { result.strays.append(place()) }
            } else if token.kind == .directive {
                enter(token.text)
            }
            position += 1
            if depth <= 0 { return }
        }
    }

    // MARK: Conditional compilation

    private var isInDeadBranch: Bool { branches.contains { $0.isDead } }

    private var openConditions: [String] { branches.compactMap(\.present) }

    private mutating func enter(_ directive: String) {
        let words = directive.split(separator: " ", maxSplits: 1).map(String.init)
        let text = words.count > 1 ? words[1].trimmingCharacters(in: .whitespaces) : ""
        switch words[0].split(separator: "(").first.map(String.init) {
        case "#if":
            branches.append(Branch())
            open(directive.dropFirst(3).trimmingCharacters(in: .whitespaces))
        case "#elseif":
            guard !branches.isEmpty else { return }
            closeBranch()
            open(text.isEmpty ? directive.dropFirst(7).trimmingCharacters(in: .whitespaces) : text)
        case "#else":
            guard !branches.isEmpty else { return }
            closeBranch()
            open("true")
        default:
            _ = branches.popLast()
        }
    }

    /// Ends the current branch.
    private mutating func closeBranch() {
        let last = branches.count - 1
        branches[last].present = nil
        branches[last].isDead = false
    }

    private mutating func open(_ text: String) {
        let last = branches.count - 1
        let value = condition.evaluate(text)
        if branches[last].isDecided || value == false {
            branches[last].isDead = true
            if value == nil { branches[last].earlier.append(text) }
            return
        }
        var parts = branches[last].earlier.map { "!(\($0))" }
        if value == nil {
            parts.append(branches[last].earlier.isEmpty ? text : "(\(text))")
            branches[last].earlier.append(text)
        } else {
            branches[last].isDecided = true
        }
        branches[last].present = parts.isEmpty ? nil : parts.joined(separator: " && ")
    }

    // MARK: Declarations

    private struct Modifiers {
        var access: AccessLevel?
        var setterAccess: AccessLevel?
        var isManaged = false
        var isStatic = false
        var isForObjectiveC = false
        /// The name in `@objc(Name)`.
        var objectiveCName: String?
        /// The name of the attribute in `@Stored("name")`; empty if it is no literal.
        var storedKey: String?
        var place: SourcePlace
    }

    private static let modifierWords: Set<String> = [
        "final", "lazy", "weak", "unowned", "override", "required", "convenience", "dynamic", "optional", "mutating",
        "nonmutating", "indirect", "nonisolated", "isolated", "distributed", "borrowing", "consuming", "async",
        "prefix",
        "postfix", "infix", "sending", "__owned", "_const",
    ]

    /// Parses one declaration, or skips one token. `owner` is the enclosing type or extension.
    private mutating func member(of owner: DeclarationOwner?) {
        guard let token else { return }
        if token.kind == .directive {
            enter(token.text)
            position += 1
            return
        }
        var modifiers = Modifiers(place: place())
        takeModifiers(&modifiers)
        guard let keyword = self.token, keyword.kind == .word else {
            if position < tokens.count {
                if isSymbol("{") || isSymbol("(") || isSymbol("[") { skipBalanced() } else { position += 1 }
            }
            return
        }
        switch keyword.text {
        case "class", "struct", "enum", "protocol", "actor":
            guard name(at: 1) != nil else { return position += 1 }
            typeDeclaration(keyword.text, modifiers, owner)
        case "extension": extensionDeclaration(modifiers)
        case "typealias": alias(modifiers, owner)
        case "var", "let": variables(modifiers, owner)
        case "func": function(modifiers, owner)
        case "import": importDeclaration()
        case "case": enumerationCase(of: owner)
        default: position += 1
        }
    }

    private mutating func takeModifiers(_ modifiers: inout Modifiers) {
        while let token {
            if token.kind == .directive {
                // An attribute may be inside a nested #if.
                enter(token.text)
                position += 1
            } else if isSymbol("@"), let attribute = name(at: 1) {
                if attribute == "NSManaged" {
                    modifiers.isManaged = true
                    modifiers.place = place()
                }
                if attribute == "objc" {
                    modifiers.isForObjectiveC = true
                    modifiers.objectiveCName = argumentText(at: 2)
                }
                if attribute == "Stored" { modifiers.storedKey = literalArgument(at: 2) ?? "" }
                position += 2
                while isSymbol("."), name(at: 1) != nil { position += 2 }
                if isSymbol("("), self.token?.followsSpace == false || attribute == "objc" { skipBalanced() }
            } else if token.kind == .word, let access = AccessLevel(word: token.text) {
                position += 1
                if isSymbol("(") {
                    if isWord("set", at: 1) { modifiers.setterAccess = access }
                    skipBalanced()
                } else {
                    modifiers.access = access
                }
            } else if token.kind == .word, Self.modifierWords.contains(token.text) {
                position += 1
                if isSymbol("("), self.token?.followsSpace == false { skipBalanced() }
            } else if isWord("static") || isWord("class") && ["func", "var", "let", "subscript"].contains(name(at: 1)) {
                modifiers.isStatic = true
                position += 1
            } else {
                return
            }
        }
    }

    /// Returns the text of a string literal that is the first argument in parentheses.
    private func literalArgument(at offset: Int) -> String? {
        guard isSymbol("(", at: offset), position + offset + 1 < tokens.count else { return nil }
        return SwiftLiteral.string(tokens[position + offset + 1].text)
    }

    /// Returns the text in parentheses, such as a name or a selector.
    private func argumentText(at offset: Int) -> String? {
        guard isSymbol("(", at: offset) else { return nil }
        let words = tokens[(position + offset + 1)...].prefix { $0.text != ")" && $0.kind != .directive }
        return words.isEmpty ? nil : words.map(\.text).joined()
    }

    private mutating func typeDeclaration(_ keyword: String, _ modifiers: Modifiers, _ owner: DeclarationOwner?) {
        let place = place()
        position += 1
        let path = (owner?.path ?? []) + [name() ?? ""]
        position += 1
        let isGeneric = isSymbol("<")
        if isGeneric { skipAngles() }
        let inherited = inheritance()
        let kind: TypeDeclaration.Kind =
            switch keyword {
            case "class", "actor": .classType
            case "struct": .structType
            case "enum": .enumType
            default: .protocolType
            }
        let access = modifiers.access ?? owner?.defaultAccess ?? .internal
        if !isInDeadBranch {
            result.types.append(
                TypeDeclaration(
                    path: path, kind: kind, access: access, isGeneric: isGeneric, inherited: inherited, place: place,
                    objectiveCName: modifiers.objectiveCName))
        }
        // Members of a private type are visible in the file, not only in the type.
        let memberAccess = min(access == .private ? .fileprivate : access, .internal)
        body(DeclarationOwner(path: path, isExtension: false, defaultAccess: memberAccess, kind: kind))
    }

    private mutating func extensionDeclaration(_ modifiers: Modifiers) {
        position += 1
        guard case .named(let path, _)? = parseType() else { return }
        let adopted = inheritance()
        if !adopted.isEmpty, !isInDeadBranch { result.conformances.append((path, adopted)) }
        var access = modifiers.access ?? .internal
        if access == .private { access = .fileprivate }
        body(DeclarationOwner(path: path, isExtension: true, defaultAccess: access))
    }

    /// Parses the types after a colon, up to a `where` clause or the body.
    private mutating func inheritance() -> [TypeSyntax] {
        var types: [TypeSyntax] = []
        if isSymbol(":") {
            repeat {
                position += 1
                if isSymbol("~") { position += 1 }
                guard let type = parseType() else { break }
                types.append(type)
            } while isSymbol(",")
        }
        while let token, !isSymbol("{"), !(token.kind == .symbol && token.text == "}") {
            if token.kind == .directive { break }
            position += 1
        }
        return types
    }

    private mutating func body(_ owner: DeclarationOwner) {
        guard isSymbol("{") else { return }
        position += 1
        while position < tokens.count, !isSymbol("}") { member(of: owner) }
        position += 1
    }

    private mutating func alias(_ modifiers: Modifiers, _ owner: DeclarationOwner?) {
        let place = place()
        position += 1
        guard let name = name() else { return }
        position += 1
        let isGeneric = isSymbol("<")
        if isGeneric { skipAngles() }
        guard isSymbol("=") else { return }
        position += 1
        guard let type = parseType(), !isInDeadBranch else { return }
        result.types.append(
            TypeDeclaration(
                path: (owner?.path ?? []) + [name], kind: .alias(type),
                access: modifiers.access ?? owner?.defaultAccess ?? .internal, isGeneric: isGeneric, inherited: [],
                place: place))
    }

    private mutating func importDeclaration() {
        position += 1
        for kind in ["struct", "class", "enum", "protocol", "typealias", "func", "let", "var"] where isWord(kind) {
            if name(at: 1) != nil { position += 1 }
        }
        if let module = name(), !isInDeadBranch { result.imports.append(module) }
        position += 1
    }

    /// Skips generic parameters.
    private mutating func skipAngles() {
        var depth = 0
        while let token {
            if token.kind == .symbol {
                if token.text == "<" { depth += 1 }
                if token.text == ">", !(position > 0 && tokens[position - 1].text == "-") { depth -= 1 }
                if token.text == "{" { return }
            }
            position += 1
            if depth == 0 { return }
        }
    }

    /// Notes the cases that a line declares, and the name of the enumeration's first.
    private mutating func enumerationCase(of owner: DeclarationOwner?) {
        if let owner, owner.kind == .enumType, !isInDeadBranch { noteCases(of: owner) }
        if let owner, let name = name(at: 1), openConditions.isEmpty, !isInDeadBranch,
            let index = result.types.lastIndex(where: { $0.path == owner.path && $0.kind == .enumType }),
            result.types[index].firstCase == nil
        {
            result.types[index].firstCase = tokens[position + 1].kind == .escapedWord ? "`\(name)`" : name
        }
        skipStatement()
    }

    /// Notes the cases that are declared from the current position on.
    private mutating func noteCases(of owner: DeclarationOwner) {
        var parser = StatementParser(tokens: tokens, file: result.path, subject: "", position: position + 1)
        while parser.position < tokens.count {
            let token = tokens[parser.position]
            guard token.kind == .word || token.kind == .escapedWord else { return }
            parser.position += 1
            var entry = EnumerationCase(name: token.text)
            if parser.takes("=") { entry.rawValue = parser.value(endsWithLine: true) }
            result.cases[owner.path, default: []].append(entry)
            guard parser.takes(",") else { return }
        }
    }

    /// Skips the rest of a line, including brackets that are opened on it.
    private mutating func skipStatement() {
        position += 1
        while let token, !token.startsLine, !isSymbol("}"), !isSymbol(";") {
            if isSymbol("{") || isSymbol("(") || isSymbol("[") { skipBalanced() } else { position += 1 }
        }
    }

    // MARK: Properties

    private mutating func variables(_ modifiers: Modifiers, _ owner: DeclarationOwner?) {
        let isConstant = isWord("let")
        position += 1
        var names: [(name: String, place: SourcePlace)] = []
        while position < tokens.count {
            if let name = name() {
                names.append((name, SourcePlace(file: result.path, line: token?.line ?? 0, column: token?.column)))
                position += 1
            } else if isSymbol("(") {
                skipBalanced()
            } else {
                break
            }
            var type: TypeSyntax?
            if isSymbol(":") {
                position += 1
                type = parseType()
            }
            var hasValue = false
            var value: StatedValue?
            if isSymbol("=") {
                hasValue = true
                if modifiers.storedKey != nil {
                    var parser = StatementParser(
                        tokens: tokens, file: result.path, subject: "", position: position + 1)
                    value = parser.value(endsWithLine: true)
                }
                skipInitialValue()
            }
            var hasBody = false
            if isSymbol("{") {
                hasBody = true
                skipBalanced()
            }
            note(names, type, value, hasBody: hasBody, modifiers, owner)
            if modifiers.isManaged, type != nil || !isSymbol(",") {
                let obstacle =
                    isConstant
                    ? "it is a constant"
                    : modifiers.isStatic
                        ? "it belongs to the type" : hasValue || hasBody ? "it has a value or body of its own" : nil
                for name in names { note(name.name, name.place, type, modifiers, owner, obstacle) }
                names = []
            }
            guard isSymbol(",") else { break }
            position += 1
        }
    }

    /// Notes stored properties of structures, and those with the wrapper `@Stored`.
    private mutating func note(
        _ names: [(name: String, place: SourcePlace)], _ type: TypeSyntax?, _ value: StatedValue?, hasBody: Bool,
        _ modifiers: Modifiers, _ owner: DeclarationOwner?
    ) {
        guard let owner, !modifiers.isStatic else { return }
        if isInDeadBranch {
            if let key = modifiers.storedKey { result.inactiveNames[owner.path, default: []].insert(key) }
            return
        }
        if let key = modifiers.storedKey {
            for name in names {
                result.stored.append(
                    StoredPropertyDeclaration(
                        owner: owner, name: name.name, key: key.isEmpty ? nil : key, type: type, initialValue: value,
                        place: name.place))
            }
        } else if owner.kind == .structType, !hasBody, let type {
            result.members[owner.path, default: []] += names.map { StructureMember(name: $0.name, type: type) }
        }
    }

    private mutating func note(
        _ name: String, _ namePlace: SourcePlace, _ type: TypeSyntax?, _ modifiers: Modifiers,
        _ owner: DeclarationOwner?, _ obstacle: String?
    ) {
        guard let owner else { return isInDeadBranch ? () : result.strays.append(modifiers.place) }
        guard !isInDeadBranch else {
            result.inactiveNames[owner.path, default: []].insert(name)
            return
        }
        let access = modifiers.access ?? owner.defaultAccess
        result.properties.append(
            ManagedPropertyDeclaration(
                owner: owner, name: name, type: type, access: access,
                setterAccess: min(modifiers.setterAccess ?? access, access), place: modifiers.place,
                namePlace: namePlace, conditions: openConditions, obstacle: obstacle))
    }

    /// Skips an initial value: to the end of the line, a comma, or a brace that opens a body.
    private mutating func skipInitialValue() {
        position += 1
        var isFirst = true
        while let token {
            if isSymbol(",") || isSymbol(";") || isSymbol("}") { return }
            // A value continues on the next line after an operator, or if that line starts with one.
            if token.startsLine, !isFirst, token.kind != .symbol || isSymbol("@") || isSymbol("{") { return }
            if isSymbol("{") || isSymbol("(") || isSymbol("[") { skipBalanced() } else { position += 1 }
            isFirst = false
        }
    }

    // MARK: Methods

    private mutating func function(_ modifiers: Modifiers, _ owner: DeclarationOwner?) {
        position += 1
        let name = name()
        while let token, !isSymbol("("), token.kind != .directive {
            if isSymbol("<") { skipAngles() } else { position += 1 }
        }
        let start = position
        guard isSymbol("(") else { return }
        let isImportHook = owner != nil && name.map(ImportHookDeclaration.isName) == true
        let mayState = !isInDeadBranch && statesSomething()
        let parameters = modifiers.isManaged || isImportHook || mayState ? self.parameters() : nil
        position = start
        skipBalanced()
        var obstacle: String?
        while isWord("async") || isWord("throws") || isWord("rethrows") {
            obstacle = "it is async or throws"
            position += 1
            if isSymbol("(") { skipBalanced() }
        }
        var output: TypeSyntax?
        if isSymbol("-"), isSymbol(">", at: 1) {
            position += 2
            output = parseType()
        }
        if isWord("where") {
            while let token, !isSymbol("{"), !token.startsLine { position += 1 }
        }
        if isSymbol("{") {
            if mayState, noteStatements(parameters ?? [], owner, modifiers) { return }
            if modifiers.isManaged { obstacle = "it has a body of its own" }
            skipBalanced()
        }
        if isImportHook, !modifiers.isManaged, !modifiers.isStatic, !isInDeadBranch, let owner, let name, let parameters
        {
            result.importHooks.append(
                ImportHookDeclaration(
                    owner: owner, name: name, labels: parameters.map(\.label),
                    isForObjectiveC: modifiers.isForObjectiveC, place: modifiers.place))
        }
        guard modifiers.isManaged, !isInDeadBranch else { return }
        guard let owner, let name else { return result.strays.append(modifiers.place) }
        if modifiers.isStatic { obstacle = "it belongs to the type" }
        if parameters == nil { obstacle = obstacle ?? "its parameters cannot be read" }
        result.methods.append(
            ManagedMethodDeclaration(
                owner: owner, name: name, parameters: parameters ?? [], result: output,
                access: modifiers.access ?? owner.defaultAccess, place: modifiers.place, conditions: openConditions,
                obstacle: obstacle, selector: modifiers.objectiveCName))
    }

    /// Returns whether the parameters in parentheses have a type for statements about entities.
    private func statesSomething() -> Bool {
        var position = position
        while position < tokens.count, tokens[position].text != ")", tokens[position].kind != .directive {
            if tokens[position].text == EntityStatements.parameterType { return true }
            position += 1
        }
        return false
    }

    /// Notes the statements of a function's body if the parameter is one for them. Returns false for other functions.
    private mutating func noteStatements(
        _ parameters: [ManagedMethodDeclaration.Parameter], _ owner: DeclarationOwner?, _ modifiers: Modifiers
    ) -> Bool {
        var className: [String]?
        if parameters.count == 1, case .named(let path, let arguments) = parameters[0].type,
            path.last == EntityStatements.parameterType, case .named(let name, _)? = arguments.first
        {
            className = name == ["Self"] ? owner?.path : name
        }
        guard let className, let owner, modifiers.isStatic else {
            result.statements.append(
                EntityStatements(
                    owner: owner ?? DeclarationOwner(path: [], isExtension: false, defaultAccess: .internal),
                    className: [],
                    statements: [], place: modifiers.place, isMisplaced: true))
            return false
        }
        var parser = StatementParser(
            tokens: tokens, file: result.path, subject: parameters[0].name, position: position)
        let statements = parser.body()
        position = parser.position
        result.statements.append(
            EntityStatements(owner: owner, className: className, statements: statements, place: modifiers.place))
        return true
    }

    private mutating func parameters() -> [ManagedMethodDeclaration.Parameter]? {
        position += 1
        var parameters: [ManagedMethodDeclaration.Parameter] = []
        while !isSymbol(")") {
            guard let first = name() else { return nil }
            position += 1
            let second = name()
            if second != nil { position += 1 }
            guard isSymbol(":") else { return nil }
            position += 1
            guard let type = parseType() else { return nil }
            parameters.append(
                ManagedMethodDeclaration.Parameter(
                    label: first == "_" ? nil : first, name: second ?? first, type: type))
            if isSymbol(",") { position += 1 } else if !isSymbol(")") { return nil }
        }
        return parameters
    }
}
