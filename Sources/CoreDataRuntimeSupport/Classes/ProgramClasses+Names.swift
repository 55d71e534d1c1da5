#if !canImport(Darwin)
import Foundation

/// Names of classes, with or without their module.
extension ProgramClasses {
    /// Returns a class of any kind by its name, with or without its module.
    package static func anyClass(named name: String) -> AnyClass? {
        let module = modulePrefix(of: name)
        if module != nil, let type = NSClassFromString(name) { return type }
        let listed = all(named: bareName(name))
        let wanted = module ?? programModule
        return (listed.first { $0.module == wanted } ?? listed.first)?.type
    }

    /// Returns the name without its module: `Thing` for `Thing`, `.Thing` and `Module.Thing`.
    package static func bareName(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: ".")) else { return name }
        return name.split(separator: ".").last.map(String.init) ?? name
    }

    /// Returns the module of a name: the part before the first dot; nil if it is empty.
    package static func modulePrefix(of name: String) -> String? {
        guard let dot = name.utf8.firstIndex(of: UInt8(ascii: ".")), dot > name.startIndex else { return nil }
        return String(name[..<dot])
    }

    /// The module of the program's `main`, which has the program's name unless the executable was renamed.
    package static let programModule = String(
        ProcessInfo.processInfo.processName.map { $0.isLetter || $0.isNumber ? $0 : "_" })
}
#endif
