import Foundation
import ModelFormat

/// Generates managed object classes from a model, as Xcode's "Class Definition" and "Category/Extension" do.
///
/// The output compiles with both Apple's Core Data and this package's.
public struct ClassGenerator {
    /// One generated file.
    public struct File: Sendable, Hashable {
        /// The name of the file.
        public var name: String
        /// The source of the file.
        public var source: String
    }

    let model: Model
    let module: String?
    private let name: String?
    private let byName: [String: Entity]
    private let names: GeneratedNames

    /// Creates a generator.
    ///
    /// - Parameters:
    ///   - model: the model.
    ///   - module: the module of the classes. Classes that the model places in another module are omitted.
    ///   - name: the name of the model, for the file that Xcode generates per model.
    ///   - shadowedModules: the modules among CoreData, Foundation and Swift with a name that refers to a type in the module of
    ///     the classes. Generated code qualifies types with the other modules.
    public init(model: Model, module: String? = nil, name: String? = nil, shadowedModules: Set<String> = []) {
        self.model = model
        names = GeneratedNames(
            shadowed: shadowedModules.union(
                GeneratedNames.modules.intersection(model.entities.compactMap(\.swiftClassName))))
        self.module = module
        self.name = name
        byName = Dictionary(model.entities.map { ($0.name, $0) }) { first, _ in first }
    }

    /// Returns one or two files per entity, with the names that Xcode uses.
    ///
    /// - Parameter all: true to include entities with manually written classes.
    public func files(all: Bool = false) -> [File] {
        var files: [File] = []
        var classes: Set<String> = []
        for entity in entities(all: all) {
            guard let name = entity.swiftClassName, classes.insert(name).inserted else { continue }
            if entity.codeGeneration != .categoryExtension {
                files.append(
                    File(name: "\(name)+CoreDataClass.swift", source: classHeader(entity) + classSource(entity, name)))
            }
            files.append(
                File(name: "\(name)+CoreDataProperties.swift", source: Self.header + propertiesSource(entity, name)))
        }
        if let name, !files.isEmpty {
            // Xcode's contains only imports, which nothing in it needs here.
            files.append(File(name: "\(name)+CoreDataModel.swift", source: "// Made from the data model \(name).\n"))
        }
        return files
    }

    /// Returns the classes as one file, for build systems that must know the names of output files in advance.
    public func combinedSource() -> String {
        let entities = entities(all: false)
        guard !entities.isEmpty else { return "// The data model asks for no classes.\n" }
        var source = Self.header
        var classes: Set<String> = []
        for entity in entities {
            guard let name = entity.swiftClassName, classes.insert(name).inserted else { continue }
            if entity.codeGeneration == .classDefinition { source += classSource(entity, name) + "\n" }
            source += propertiesSource(entity, name) + "\n"
        }
        return source
    }

    private static let header = """
        // Made from the data model; changes will be lost.

        public import CoreData


        """

    /// Returns the header of a class. One that inherits from another class of the module does not expose CoreData.
    private func classHeader(_ entity: Entity) -> String {
        parentClass(of: entity) == nil
            ? Self.header : Self.header.replacingOccurrences(of: "public import", with: "import")
    }

    func entities(all: Bool) -> [Entity] {
        model.entities.filter { entity in
            guard all || entity.codeGeneration != .manual, entity.swiftClassName != nil else { return false }
            guard let named = entity.moduleName else { return true }
            return module == nil || named == module
        }.sorted(byText: \.name)
    }

    // MARK: Classes

    private func classSource(_ entity: Entity, _ name: String) -> String {
        """
        /// An object of the entity \(entity.name)\(entity.isAbstract ? ", which is abstract" : "").
        #if canImport(ObjectiveC)
        @objc(\(name))
        #endif
        public class \(name): \(superclass(of: entity)) {

        }

        """
    }

    /// Returns the class of the nearest ancestor that has one, or else `NSManagedObject`.
    private func superclass(of entity: Entity) -> String {
        parentClass(of: entity) ?? names.coreData("NSManagedObject")
    }

    private func parentClass(of entity: Entity) -> String? {
        var visited: Set = [entity.name]
        var current = entity.parentName.flatMap { byName[$0] }
        while let ancestor = current, visited.insert(ancestor.name).inserted {
            if let name = ancestor.swiftClassName { return name == entity.swiftClassName ? nil : name }
            current = ancestor.parentName.flatMap { byName[$0] }
        }
        return nil
    }

    private func propertiesSource(_ entity: Entity, _ name: String) -> String {
        let request = names.coreData("NSFetchRequest")
        var text = """
            extension \(name) {

                /// A request for the objects of the entity \(entity.name).
                @nonobjc public class func fetchRequest() -> \(request)<\(name)> {
                    return \(request)<\(name)>(entityName: "\(entity.name)")
                }


            """
        for attribute in entity.attributes.sorted(byText: \.name) {
            text += "    /// \(summary(attribute))\n"
            text += "    @NSManaged public var \(identifier(attribute.name)): \(types.type(of: attribute))\n"
        }
        for relationship in entity.relationships.sorted(byText: \.name) {
            text += "    /// \(summary(relationship))\n"
            let type = types.type(of: relationship, destination: byName[relationship.destinationName])
            text += "    @NSManaged public var \(identifier(relationship.name)): \(type)\n"
        }
        for property in entity.fetchedProperties.sorted(byText: \.name) {
            text += "    /// Fetched property: objects of \(property.fetchRequest.entityName).\n"
            text += "    @NSManaged public var \(identifier(property.name)): \(names.foundation("NSArray"))?\n"
        }
        text += "\n}\n"
        for relationship in entity.relationships.sorted(byText: \.name) where relationship.isToMany {
            text += "\n" + accessors(relationship, name)
        }
        if parentClass(of: entity) == nil { text += "\nextension \(name): \(names.swift("Identifiable")) {\n\n}\n" }
        return text
    }

    private var types: SwiftTypes { SwiftTypes(names: names) }

    private func identifier(_ name: String) -> String {
        SwiftTypes.keywords.contains(name) ? "`\(name)`" : name
    }

    private func summary(_ attribute: Attribute) -> String {
        var words = ["Attribute: \(attribute.type.xmlName)"]
        words.append(attribute.isOptional ? "optional" : "required")
        if attribute.isTransient { words.append("transient") }
        if let derivation = attribute.derivation {
            words.append("derived by `\(derivation.replacingOccurrences(of: "\n", with: " "))`")
        }
        return words.joined(separator: ", ") + "."
    }

    private func summary(_ relationship: Relationship) -> String {
        var words = ["Relationship: to \(relationship.isToMany ? "many" : "one") \(relationship.destinationName)"]
        words.append(PropertyWords.need(relationship))
        if relationship.isOrdered { words.append("ordered") }
        if let inverse = relationship.inverseName { words.append("inverse `\(inverse)`") }
        return words.joined(separator: ", ") + "."
    }

    private func accessors(_ relationship: Relationship, _ name: String) -> String {
        let key = relationship.name
        let capital = key.prefix(1).uppercased() + key.dropFirst()
        let destination = types.className(of: byName[relationship.destinationName])
        let collection = names.foundation(relationship.isOrdered ? "NSOrderedSet" : "NSSet")
        let (int, indexSet) = (names.swift("Int"), names.foundation("NSIndexSet"))
        var methods: [(selector: String, signature: String)] = []
        if relationship.isOrdered {
            methods += [
                ("insertObject:in\(capital)AtIndex:", "insertInto\(capital)(_ value: \(destination), at idx: \(int))"),
                ("removeObjectFrom\(capital)AtIndex:", "removeFrom\(capital)(at idx: \(int))"),
                (
                    "insert\(capital):atIndexes:",
                    "insertInto\(capital)(_ values: [\(destination)], at indexes: \(indexSet))"
                ),
                ("remove\(capital)AtIndexes:", "removeFrom\(capital)(at indexes: \(indexSet))"),
                (
                    "replaceObjectIn\(capital)AtIndex:withObject:",
                    "replace\(capital)(at idx: \(int), with value: \(destination))"
                ),
                (
                    "replace\(capital)AtIndexes:with\(capital):",
                    "replace\(capital)(at indexes: \(indexSet), with values: [\(destination)])"
                ),
            ]
        }
        methods += [
            ("add\(capital)Object:", "addTo\(capital)(_ value: \(destination))"),
            ("remove\(capital)Object:", "removeFrom\(capital)(_ value: \(destination))"),
            ("add\(capital):", "addTo\(capital)(_ values: \(collection))"),
            ("remove\(capital):", "removeFrom\(capital)(_ values: \(collection))"),
        ]
        var text = "// MARK: Generated accessors for \(key)\nextension \(name) {\n"
        for method in methods {
            text += """

                    #if canImport(ObjectiveC)
                    @objc(\(method.selector))
                    #endif
                    @NSManaged public func \(method.signature)

                """
        }
        return text + "\n}\n"
    }
}
