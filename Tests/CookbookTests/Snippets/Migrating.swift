import MagicalRecord

enum MigratingSnippets {
    static func overVersions(progress: Progress) throws {
        // snippet
        let versions = try MagicalRecord.ModelSource.versions(named: "Tasks", in: .module)
        let steps = try MagicalRecord.migrateStore(.sqlite(named: "Tasks"), through: versions, progress: progress)
        try MagicalRecord.setUp(.sqlite(named: "Tasks"), migration: .none, model: .model(versions[versions.count - 1]))
        // end
        _ = steps
    }
}
