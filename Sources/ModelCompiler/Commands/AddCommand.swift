import CoreDataModelBuilding
import Foundation
import ModelFormat

/// `modelc add`
enum AddCommand: ModelCommand {
    static let name = "add"
    static let summary = "add an entity, an attribute or a relationship to a source model"
    static let writesFiles = true
    static let help = """
        usage: modelc add entity MODEL NAME [--parent ENTITY] [--abstract] [--class CLASS]
                                 [--codegen class|category|manual]
               modelc add attribute MODEL ENTITY.NAME TYPE [--required] [--default VALUE]
                                 [--min VALUE] [--max VALUE] [--regex PATTERN] [--unique] [--index]
                                 [--derived EXPRESSION] [--transient] [--external] [--scalar | --object]
                                 [--transformer NAME] [--value-class CLASS]
               modelc add relationship MODEL ENTITY.NAME DESTINATION [--inverse NAME] [--inverse-to-many]
                                 [--to-many] [--ordered] [--min COUNT] [--max COUNT] [--required]
                                 [--delete-rule nullify|cascade|deny|no-action]

        Adds to the current version of MODEL, an .xcdatamodeld, .xcdatamodel or contents file. The rest of the file's text,
        with its comments, stays as it is. The file is written atomically, and not at all if the model would be invalid:
        a name that is taken, an unknown entity, or what modelc lint calls an error. Warnings of modelc lint are printed.

        All:
          --renamed-from NAME     the name in the previous version, for migrations
          --user-info KEY=VALUE   an entry of userInfo, such as relatedByAttribute=albumID; may be repeated
          --version NAME          a version of a bundle, instead of the current one
          --json                  what was written and all problems, as JSON on the standard output

        Entities:
          --parent ENTITY         the entity whose properties it inherits
          --abstract              only subentities have objects
          --class CLASS           the class; by default named like the entity. NSManagedObject for none
          --codegen KIND          what builds generate: class (the default), category (its properties), manual

        Attributes:
          TYPE                    \(AttributeTexts.typeNames),
                                  in any case and without spaces; or Int16, Int32, Int64, Bool, Data, URL; or the name of a
                                  composite type of the model
          --optional, --required  whether nil is valid; optional by default
          --default VALUE         the default value: a number, a text, YES or NO, a UUID, a URL; a date as 2026-01-31,
                                  2026-01-31T12:00:00Z or seconds since 2001
          --min, --max VALUE      limits of a number or a date, or of the length of a text
          --regex PATTERN         a regular expression that the whole text matches
          --unique, --index       a uniqueness constraint, an index
          --derived EXPRESSION    computed on saving, such as "canonical:(title)" or "tracks.@count"
          --transient             not stored
          --external              large values in files beside the store, for Binary
          --scalar, --object      the type in generated classes, Int64 or NSNumber; scalar by default but for dates and
                                  derived attributes
          --transformer NAME      the value transformer, for Transformable
          --value-class CLASS     the Swift type of the values, for Transformable

        Relationships:
          --inverse NAME          the inverse, a relationship of DESTINATION; it is added if there is none of that name
          --inverse-to-many       an inverse that is added is to-many
          --to-many, --ordered    many objects, in an order
          --min, --max COUNT      how many objects a to-many has; optional ones may have none all the same
          --optional, --required  whether there may be no object; optional by default
          --delete-rule RULE      the effect of a deletion on the destination; nullify by default

        examples:
          modelc add entity Model.xcdatamodeld Album
          modelc add attribute Model.xcdatamodeld Album.title String --required --default "" --index
          modelc add attribute Model.xcdatamodeld Album.rating "Integer 16" --required --default 0 --min 0 --max 5
          modelc add relationship Model.xcdatamodeld Album.tracks Track --to-many --ordered --inverse album \\
            --delete-rule cascade

        """

    private static let options: [String: Set<String>] = [
        "entity": ["parent", "class", "codegen"],
        "attribute": ["default", "min", "max", "regex", "derived", "transformer", "value-class"],
        "relationship": ["inverse", "min", "max", "delete-rule"],
    ]
    private static let flags: [String: Set<String>] = [
        "entity": ["abstract"],
        "attribute": ["optional", "required", "unique", "index", "transient", "external", "scalar", "object"],
        "relationship": ["optional", "required", "to-many", "ordered", "inverse-to-many"],
    ]

    static func run(_ words: [String], _ result: inout CommandResult) throws {
        guard let kind = words.first, let options = options[kind], let flags = flags[kind] else {
            throw UsageError("say what to add: entity, attribute or relationship")
        }
        let arguments = try Arguments(
            Array(words.dropFirst()), options: options.union(["renamed-from", "user-info", "version"]),
            flags: flags.union(["json"]))
        let operands = arguments.positional
        let places = [
            "entity": "NAME", "attribute": "ENTITY.NAME and TYPE", "relationship": "ENTITY.NAME and DESTINATION",
        ]
        guard operands.count == (kind == "entity" ? 2 : 3) else {
            throw UsageError("give MODEL, then \(places[kind] ?? "")")
        }
        let isModel = { (path: String) in ["xcdatamodeld", "xcdatamodel"].contains((path as NSString).pathExtension) }
        if !isModel(operands[0]), operands.dropFirst().contains(where: isModel) {
            throw UsageError("MODEL comes first: give MODEL, then \(places[kind] ?? "")")
        }
        for (one, other) in [("optional", "required"), ("scalar", "object")]
        where arguments.has(one) && arguments.has(other) {
            throw UsageError("--\(one) and --\(other) exclude each other")
        }
        var edited = try EditedModel(at: operands[0], version: arguments["version"])
        let added: String
        switch kind {
        case "entity": added = try addEntity(operands[1], arguments, &edited)
        case "attribute": added = try addAttribute(operands[1], operands[2], arguments, &edited)
        default: added = try addRelationship(operands[1], operands[2], arguments, &edited)
        }
        let findings = edited.newFindings(lines: edited.lines)
        for problem in edited.newProblems { result.report(Diagnostic(problem)) }
        for finding in findings where finding.severity == .error { result.report(finding) }
        guard result.status == 0 else { return }
        try edited.write()
        // The lines of the written file.
        let written = findings.isEmpty ? edited : try EditedModel(at: edited.file)
        for finding in edited.newFindings(lines: written.lines) { result.report(finding) }
        result.written.append(edited.file)
        result.output += "\(edited.file): added \(added)\n"
    }

    private static func addEntity(
        _ name: String, _ arguments: Arguments, _ edited: inout EditedModel
    ) throws -> String {
        var entity = Entity(name: name, className: arguments["class"] ?? name, parentName: arguments["parent"])
        if entity.className == "NSManagedObject" { entity.className = nil }
        entity.isAbstract = arguments.has("abstract")
        switch arguments["codegen"] {
        case nil: entity.codeGeneration = entity.className == nil ? .manual : .classDefinition
        case "class"?: entity.codeGeneration = .classDefinition
        case "category"?: entity.codeGeneration = .categoryExtension
        case "manual"?: entity.codeGeneration = .manual
        case let other?: throw UsageError("--codegen \(other): write class, category or manual")
        }
        entity.renamingIdentifier = arguments["renamed-from"]
        entity.userInfo = try userInfo(arguments)
        // Xcode writes this for every entity.
        entity.extraAttributes = ["syncable": "YES"]
        try edited.add(entity)
        return "the entity \(name)"
    }

    /// Splits `Album.title` at its first dot.
    static func split(_ text: String) throws(UsageError) -> (entity: String, property: String) {
        let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
            throw UsageError("\(text): write ENTITY.NAME, such as Album.title")
        }
        return (parts[0], parts[1])
    }

    /// Returns the entries of `--user-info KEY=VALUE`.
    static func userInfo(_ arguments: Arguments) throws(UsageError) -> [String: ModelValue] {
        var info: [String: ModelValue] = [:]
        for text in arguments.all("user-info") {
            let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, !parts[0].isEmpty else { throw UsageError("--user-info \(text): write KEY=VALUE") }
            info[parts[0]] = .string(parts[1])
        }
        return info
    }
}
