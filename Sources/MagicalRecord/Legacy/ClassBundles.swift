import CoreData

/// Finds the bundles that may hold the resources of a class's module.
enum ClassBundles {
    static func bundles(for type: AnyClass) -> [Bundle] {
        #if canImport(ObjectiveC)
        return [Bundle(for: type)]
        #else
        // SwiftPM puts a target's resources beside the executable, in `Package_Module.resources`.
        let module = ClassName.full(type).split(separator: ".").first.map(String.init) ?? ""
        let directories = [Bundle.main.bundleURL, Bundle.main.executableURL?.deletingLastPathComponent()]
        let candidates = directories.compactMap { $0 }.flatMap { directory in
            (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)) ?? []
        }
        let own = Set(candidates.filter { $0.lastPathComponent.hasSuffix("_\(module).resources") })
        let bundles = own.compactMap(Bundle.init(url:))
        return bundles.isEmpty ? [.main] : bundles
        #endif
    }
}
