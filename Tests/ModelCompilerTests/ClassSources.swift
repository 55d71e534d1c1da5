import Foundation
import ModelCompiler
import ModelFormat
import Testing

/// A folder with one Swift file, and the model made of it.
struct ClassSources {
    let models: TemporaryModels
    let file: String
    let path: String

    init(_ text: String) throws {
        models = try TemporaryModels()
        file = models.path("App.swift")
        path = models.path("Model.xcdatamodeld")
        try write(text)
    }

    func write(_ text: String) throws {
        try ("import CoreData\nimport MagicalRecord\n" + text).write(toFile: file, atomically: true, encoding: .utf8)
    }

    func run(_ flags: String...) -> ModelTool.Result {
        ModelTool.run(["model", "--from", file, path, "--module", "App"] + flags)
    }

    var model: Model { get throws { try Model(contentsOf: URL(fileURLWithPath: path)) } }

    func contents(_ version: String = "Model") throws -> String {
        try String(contentsOfFile: "\(path)/\(version).xcdatamodel/contents", encoding: .utf8)
    }

    func attribute(_ entity: String, _ name: String) throws -> Attribute {
        try #require(try model.entity(named: entity)?.attributes.first { $0.name == name })
    }

    func relationship(_ entity: String, _ name: String) throws -> Relationship {
        try #require(try model.entity(named: entity)?.relationships.first { $0.name == name })
    }
}

let shelfClasses = """
    class Author: NSManagedObject {
        @NSManaged var name: String?
        @NSManaged var books: Set<Book>
    }
    class Book: NSManagedObject {
        @NSManaged var title: String
        @NSManaged var pages: Int32
        @NSManaged var author: Author?
        static func model(_ book: MagicalRecord.EntityDeclaration<Book>) {
            book.unique(\\.title)
            book.attribute(\\.pages, default: 1, minimum: 1)
            book.relationship(\\.author, deleteRule: .nullifyDeleteRule)
        }
    }
    """
