import Foundation
import ModelFormat

/// The sources and models of the modules that a target depends on, scanned when a type is not found elsewhere.
final class ImportedModules {
    private let sources: [(module: String, files: [String])]
    private var scanned: [String: ModuleTypes] = [:]

    init(_ sources: [(module: String, files: [String])]) {
        self.sources = sources
    }

    func declaration(_ path: [String]) -> (declaration: TypeDeclaration, types: ModuleTypes)? {
        for source in sources {
            var path = path
            if path.count > 1, path[0] == source.module { path.removeFirst() }
            let types = types(of: source.module, source.files)
            if let found = types[path], found.access >= .package { return (found, types) }
        }
        return nil
    }

    private func types(of module: String, _ files: [String]) -> ModuleTypes {
        if let known = scanned[module] { return known }
        let condition = BuildCondition(modules: Set(sources.map(\.module)))
        let scans = files.compactMap { file in
            source(file, of: module).map { DeclarationScanner.scan($0, path: file, condition: condition) }
        }
        let types = ModuleTypes(module: module, files: scans)
        scanned[module] = types
        return types
    }

    /// Returns a source, or the classes generated from a model. Unreadable files are reported by other build steps.
    private func source(_ file: String, of module: String) -> String? {
        guard file.hasSuffix(".xcdatamodeld") || file.hasSuffix(".xcdatamodel") else {
            return try? String(contentsOfFile: file, encoding: .utf8)
        }
        let model = try? Model(contentsOf: URL(fileURLWithPath: file))
        return model.map { ClassGenerator(model: $0, module: module).combinedSource() }
    }
}
