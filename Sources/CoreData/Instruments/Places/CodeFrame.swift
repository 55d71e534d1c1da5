import Foundation

/// One call of a ``Instruments/CodePath``.
package struct CodeFrame: Hashable, Sendable {
    /// Whose code it is.
    package let origin: CodeOrigin
    /// The function as the linker knows it; empty if unknown.
    package let symbol: String
    /// The function as people write it.
    package let function: String
    /// The line; nil for what has no debug information, or no line of its own.
    package let place: Instruments.Place?

    package init(symbol: String, function: String, file: String?, line: Int, isSystem: Bool) {
        (self.symbol, self.function) = (symbol, function)
        if !isSystem, let file, line > 0, !file.hasSuffix("<compiler-generated>") {
            place = Instruments.Place(file: file, line: line, function: function)
            origin = CodeOrigin(file: file)
        } else {
            place = nil
            origin = Self.isLibrary(symbol) ? .library : .compiler
        }
    }

    /// A function of this package, whose line is not looked up.
    init(framework symbol: String, function: String) {
        (self.symbol, self.function) = (symbol, function)
        place = nil
        origin = .framework
    }

    /// A function of the standard library, whose line is not looked up.
    init(library symbol: String, function: String) {
        (self.symbol, self.function) = (symbol, function)
        place = nil
        origin = .library
    }

    /// Whether a function is of the standard library or Foundation. Generic functions of these are compiled into the
    /// program as well, so that the image a symbol is in does not tell.
    private static func isLibrary(_ symbol: String) -> Bool {
        // After `$s`: `s` and `S…` for the standard library and its types, else a module's name after its length.
        ["$ss", "$sS", "$s10Foundation", "$s20FoundationEssentials"].contains { symbol.hasPrefix($0) }
    }
}

/// Whose code a function is.
package enum CodeOrigin: Hashable, Sendable {
    /// The program's.
    case program
    /// A package's that the program depends on.
    case dependency
    /// This package's.
    case framework
    /// Swift's standard library or Foundation.
    case library
    /// A file that a build plugin, a macro or the build system wrote.
    case generated
    /// A thunk or accessor of the compiler, or unknown: the system's libraries.
    case compiler

    /// Tells by the path of the source file.
    package init(file: String) {
        if file.hasPrefix(Self.sources) {
            self = .framework
        } else if Self.generatedFolders.contains(where: { file.contains($0) }) {
            self = .generated
        } else if file.contains("/checkouts/") || file.contains("/registry/downloads/") {
            self = .dependency
        } else {
            self = .program
        }
    }

    /// The folder of this package's sources, wherever it was built.
    static let sources: String = {
        let path = #filePath
        let folder = path.range(of: "CoreData/Instruments/Places/", options: .backwards)
        return folder.map { String(path[..<$0.lowerBound]) } ?? path
    }()

    /// Where SwiftPM keeps what plugins wrote, the compiler what macros became, and the build what it wrote itself.
    private static let generatedFolders = [
        "/plugins/outputs/", "/BuildToolPluginIntermediates/", "/swift-generated-sources/", "@__swiftmacro_",
        "/DerivedSources/", ".derived/",
    ]
}
