import MagicalRecord

enum MigratingSnippets {
    static func overVersions() throws {
        // snippet
        let versions = try MagicalRecord.ModelVersions(named: "Tasks", in: .module)
        try MagicalRecord.migrate(.sqlite(named: "Tasks"), through: versions, in: [.module]) { progress in
            print("step \(progress.step) of \(progress.stepCount): \(Int(progress.fraction * 100)) %")
        }
        try MagicalRecord.setUp(.sqlite(named: "Tasks"), migration: .none, model: .named("Tasks", in: .module))
        // end
    }

    static func rehearsing(_ versions: MagicalRecord.ModelVersions) throws {
        // snippet
        let report = try MagicalRecord.rehearseMigration(of: .sqlite(named: "Tasks"), through: versions)
        print(report)
        // end
    }
}
