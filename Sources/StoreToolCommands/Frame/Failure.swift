import CoreData
import CoreDataModelBuilding
import Foundation
import MagicalRecord
import ModelFormat
import StoreTools

/// An error as `storetool` reports it: one sentence, and the next step.
struct Failure {
    let code: String
    let message: String
    let advice: String?
    var file: String?
    /// The query and a caret below the place of the error.
    var excerpt: String?
    var position: Int?

    /// Creates the report of an error of a command.
    init(_ error: any Error, command: String?) {
        switch error {
        case let error as UsageError:
            code = "usage"
            message = Self.sentence(error.message)
            advice = "“storetool help\(command.map { " " + $0 } ?? "")” explains."
        case let error as QueryTextError:
            code = "invalidQuery"
            message = error.message
            advice = error.advice
            excerpt = error.excerpt
            position = error.position
        case let error as StoreToolError:
            code = "\(error.code)"
            message = error.message
            let options = StoreTool.commands.first { $0.name == command }?.options ?? []
            let hasOption = error.code == .noModel && options.contains { $0.name == "model" }
            advice = hasOption ? "Pass the one that it was made with: --model MODEL." : error.advice
            file = error.url?.path
        case let error as MagicalRecordError:
            code = error.code == .cancelled ? "cancelled" : "failed"
            message = Self.sentence(error.message)
            advice = error.advice
        case let error as ModelFormatError:
            code = "model"
            message = Self.sentence(Diagnostic(error).message, of: Diagnostic(error).file)
            advice = Diagnostic(error).advice.map { Self.sentence($0) }
            file = Diagnostic(error).file
        case let error as Diagnostic:
            code = "model"
            message = Self.sentence(error.message, of: error.file)
            advice = error.advice.map { Self.sentence($0) }
            file = error.file
        case let error as POSIXError:
            code = "failed"
            message = "Reading or writing failed: \(String(cString: strerror(error.code.rawValue)))."
            advice = nil
        default:
            code = "failed"
            // Errors of Core Data and Foundation.
            let error = error as NSError
            let parts = [error.localizedDescription, error.localizedFailureReason ?? ""].filter { !$0.isEmpty }
            message = parts.map { Self.sentence($0) }.joined(separator: " ")
            advice = error.localizedRecoverySuggestion.map { Self.sentence($0) }
        }
    }

    /// The most characters of a message that are shown.
    private static let longest = 4000

    /// Returns a text as a sentence, after the name of the file that it is about.
    private static func sentence(_ text: String, of file: String? = nil) -> String {
        let name = file.map { URL(fileURLWithPath: $0).lastPathComponent } ?? ""
        let isNamed = name.isEmpty || text.contains(name)
        let text = (isNamed ? "" : name + ": ") + text.prefix(1).uppercased() + text.dropFirst()
        return text.hasSuffix(".") || text.hasSuffix("?") ? text : text + "."
    }

    /// The line for the errors of the process.
    var line: String {
        // Names in hostile files may be of any length.
        let text = [message, advice].compactMap { $0.map { String($0.prefix(Self.longest)) } }.joined(separator: " ")
        return "storetool: " + CellText.escaped(text) + "\n" + (excerpt.map { $0 + "\n" } ?? "")
    }

    var json: JSON {
        let fields: [(String, JSON)] = [
            ("code", .string(code)), ("message", .string(message)), ("advice", .optional(advice)),
            ("file", .optional(file)), ("position", position.map { .number($0) } ?? .null),
        ]
        return .object([("error", .sparse(fields))])
    }
}
