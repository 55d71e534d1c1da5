import ModelFormat

/// The managed object classes in the sources of a module, for making a model of them.
package struct SourceClasses {
    private let module: String
    private let files: [ScannedFile]
    private let imported: ImportedModules
    /// The number of files read.
    package var fileCount: Int { files.count }

    /// Reads sources.
    ///
    /// - Parameters:
    ///   - paths: Swift files, and folders of them.
    ///   - module: the module that the sources are compiled as.
    ///   - dependencies: the sources and models of other modules, as `NAME=PATH`.
    /// - Throws: ``Diagnostic`` for a file that cannot be read; ``UsageError``.
    package init(_ paths: [String], module: String, dependencies: [String] = []) throws {
        let sources = try GenerateCommand.dependencies(dependencies)
        let condition = BuildCondition(modules: Set(sources.map(\.module)))
        var files: [ScannedFile] = []
        for path in paths {
            for file in try GenerateCommand.sources(path) {
                let source = String(decoding: try GenerateCommand.readData(file), as: UTF8.self)
                files.append(DeclarationScanner.scan(source, path: file, condition: condition))
            }
        }
        self.init(files, module: module, imported: ImportedModules(sources))
    }

    init(_ files: [ScannedFile], module: String, imported: ImportedModules) {
        self.module = module
        self.files = files
        self.imported = imported
    }

    /// Returns a model changed to what the classes say.
    ///
    /// - Parameters:
    ///   - model: the model to change.
    ///   - others: the other models of the module, with the classes to leave out.
    package func merged(into model: Model, others: [Model] = []) -> MergedModel {
        let reader = EntityClassReader(
            module: module, files: files, imported: imported, model: model, others: others)
        var result = MergedModel(model: model, classCount: reader.entities.count, problems: reader.problems)
        guard reader.problems.isEmpty else { return result }
        result.isComplete = true
        let merged = ModelFromClasses(reader.entities, model: model, module: module)
        result.model = merged.model
        result.problems = merged.problems
        result.additions = merged.additions.map { addition in
            MergedModel.Difference(
                text: "\(addition.entity)\(addition.property.map { "." + $0 } ?? ""): \(addition.what)",
                // The accessors of an entity's class report its missing properties.
                isImplied: addition.property != nil && !addition.isStored,
                diagnostic: Diagnostic(
                    message: "the model lacks \(addition.entity)\(addition.property.map { "." + $0 } ?? ""): "
                        + addition.what,
                    file: addition.place.file, line: addition.place.line, column: addition.place.column,
                    entity: addition.entity, property: addition.property, advice: MergedModel.additionAdvice))
        }
        result.disagreements = merged.disagreements.map { difference in
            MergedModel.Difference(
                text: "\(difference.entity)\(difference.property.map { "." + $0 } ?? ""): \(difference.change)",
                isImplied: difference.isImplied,
                diagnostic: Diagnostic(
                    message: difference.message, file: difference.place.file, line: difference.place.line,
                    column: difference.place.column, entity: difference.entity, property: difference.property,
                    advice: MergedModel.disagreementAdvice))
        }
        result.notes = reader.notes + merged.notes
        result.unclassed = unclassed(reader.entities, merged.model)
        return result
    }

    /// Returns warnings about differences between the classes and their model that builds do not report otherwise.
    func warnings(about model: Model) -> [Diagnostic] {
        let merged = merged(into: model)
        let hasStatements = files.contains { !$0.statements.isEmpty }
        guard merged.isComplete else { return hasStatements ? Self.warnings(merged.problems) : [] }
        let missing = merged.additions.filter { difference in
            guard !difference.isImplied, let entity = difference.diagnostic.entity else { return false }
            return model.entity(named: entity) != nil || isExpected(entity, in: merged.model, before: model)
        }
        return Self.warnings(
            (missing + merged.disagreements.filter { !$0.isImplied }).map(\.diagnostic)
                + (hasStatements ? merged.problems : []))
    }

    /// Returns whether an entity that the model lacks is certainly one of it: the class has statements, or is related to one
    /// with an entity. Other classes may belong to a model that is made in code.
    private func isExpected(_ name: String, in merged: Model, before model: Model) -> Bool {
        guard let entity = merged.entity(named: name) else { return false }
        var related = entity.relationships.map(\.destinationName)
        if !entity.attributes.isEmpty || !related.isEmpty, let parent = entity.parentName { related.append(parent) }
        return related.contains { model.entity(named: $0) != nil }
            || files.contains { $0.statements.contains { $0.className.last == entity.swiftClassName } }
    }

    private static func warnings(_ diagnostics: [Diagnostic]) -> [Diagnostic] {
        diagnostics.map { diagnostic in
            var warning = diagnostic
            warning.severity = .warning
            return warning
        }
    }

    /// Returns the properties of the classes' entities that no class declares.
    ///
    /// A property in an inactive branch of `#if`, or of a subclass, is declared.
    private func unclassed(_ classes: [EntityClass], _ model: Model) -> [MergedModel.Difference] {
        var found: [MergedModel.Difference] = []
        for entity in classes {
            guard let described = model.entity(named: entity.entityName), described.codeGeneration == .manual else {
                continue
            }
            var declared = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
            for file in files {
                declared.formUnion(file.inactiveNames[entity.path] ?? [])
                for property in file.properties where property.owner.path == entity.path {
                    declared.insert(property.name)
                }
            }
            for other in classes {
                guard let child = model.entity(named: other.entityName),
                    model.lineage(of: child).contains(where: { $0.name == described.name })
                else { continue }
                declared.formUnion(other.attributes.map(\.name) + other.relationships.map(\.name))
            }
            let names = described.attributes.map(\.name) + described.relationships.map(\.name)
            for name in names where !declared.contains(name) {
                found.append(
                    MergedModel.Difference(
                        text: "\(described.name).\(name)", isImplied: false,
                        diagnostic: Diagnostic(
                            severity: .note,
                            message: "the model has \(described.name).\(name), and the class has no such property",
                            file: entity.place.file, line: entity.place.line, entity: described.name, property: name,
                            advice: "If it is no longer needed, remove it with --remove")))
            }
        }
        return found
    }
}
