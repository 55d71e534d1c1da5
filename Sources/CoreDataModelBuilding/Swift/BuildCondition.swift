/// Evaluates `#if` conditions as a compiler on Linux does, as far as they do not depend on its flags.
struct BuildCondition {
    /// The modules that can be imported, besides those of every Linux toolchain.
    var modules: Set<String> = []

    private static let linuxModules: Set<String> = [
        "Swift", "Foundation", "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking",
        "FoundationXML", "Dispatch", "Glibc", "XCTest", "Testing", "Synchronization", "Observation", "_Concurrency",
        "RegexBuilder", "CoreData", "MagicalRecord", "MagicalRecordTesting", "PredicateFormat", "ModelFormat",
        "CCoreDataSQLite", "CCoreDataRuntime", "CoreDataMemoryStorage", "CoreDataRowStorage", "CoreDataRuntimeSupport",
        "CoreDataSQLQueries", "CoreDataSQLiteStorage",
    ]

    private static let appleModules: Set<String> = [
        "ObjectiveC", "Darwin", "UIKit", "AppKit", "SwiftUI", "SwiftData", "Combine", "CloudKit", "WatchKit", "MapKit",
        "CoreLocation", "CoreGraphics", "CoreImage", "QuartzCore", "AVFoundation", "CoreSpotlight", "os", "OSLog",
        "Security", "CryptoKit", "CoreFoundation", "Cocoa", "WidgetKit", "Contacts", "HealthKit", "Photos", "WinSDK",
        "Musl", "Android", "Bionic", "WASILibc",
    ]

    /// Returns `true` or `false` if that is certain, or else `nil`: for a custom flag, or an unknown module.
    func evaluate(_ condition: String) -> Bool? {
        var parser = Parser(tokens: SwiftTokenizer.tokens(of: condition), modules: modules)
        return parser.disjunction()
    }

    private struct Parser {
        let tokens: [SwiftToken]
        let modules: Set<String>
        var position = 0

        init(tokens: [SwiftToken], modules: Set<String>) {
            self.tokens = tokens
            self.modules = modules
        }

        private func next(_ offset: Int = 0) -> String? {
            position + offset < tokens.count ? tokens[position + offset].text : nil
        }

        mutating func disjunction() -> Bool? {
            var value = conjunction()
            while next() == "|", next(1) == "|" {
                position += 2
                let right = conjunction()
                value = value == true || right == true ? true : (value == nil || right == nil ? nil : false)
            }
            return value
        }

        private mutating func conjunction() -> Bool? {
            var value = primary()
            while next() == "&", next(1) == "&" {
                position += 2
                let right = primary()
                value = value == false || right == false ? false : (value == nil || right == nil ? nil : true)
            }
            return value
        }

        private mutating func primary() -> Bool? {
            guard let word = next() else { return nil }
            position += 1
            switch word {
            case "!": return primary().map { !$0 }
            case "(":
                let value = disjunction()
                if next() == ")" { position += 1 }
                return value
            case "true": return true
            case "false": return false
            default: break
            }
            guard next() == "(" else { return nil }
            position += 1
            var argument: [String] = []
            while let token = next(), token != ")" {
                argument.append(token)
                position += 1
            }
            position += 1
            return function(word, argument.joined())
        }

        private func function(_ name: String, _ argument: String) -> Bool? {
            switch name {
            case "os", "platform": return argument == "Linux"
            case "canImport":
                let module = String(argument.prefix { $0 != "," && $0 != "." })
                if BuildCondition.linuxModules.contains(module) || modules.contains(module) { return true }
                return BuildCondition.appleModules.contains(module) ? false : nil
            case "targetEnvironment": return false
            case "_runtime": return argument == "_Native"
            case "swift", "compiler": return version(argument)
            default: return nil
            }
        }

        private func version(_ text: String) -> Bool? {
            let isAtLeast = text.hasPrefix(">=")
            guard isAtLeast || text.hasPrefix("<"), let major = Int(text.drop { !$0.isNumber }.prefix { $0.isNumber })
            else { return nil }
            // The package requires Swift 6; newer versions are left to the compiler.
            if major < 6 { return isAtLeast }
            return nil
        }
    }
}
