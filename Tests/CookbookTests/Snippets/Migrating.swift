import MagicalRecord

enum MigratingSnippets {
    static func overVersions(_ versions: MagicalRecord.ModelVersions) throws {
        // snippet
        let report = try MagicalRecord.migrate(.sqlite(named: "Tasks"), through: versions, in: [.module])
        // end
        _ = report
    }

    static func whileSettingUp(_ userHasEnough: @escaping @Sendable () -> Bool) async throws {
        // snippet
        let versions = try MagicalRecord.ModelVersions(named: "Tasks", in: .module)
        let migration = MagicalRecord.Migration.through(versions, in: [.module]) { progress in
            print("step \(progress.step) of \(progress.stepCount): \(Int(progress.fraction * 100)) %")
            if userHasEnough() { progress.cancel() }
        }
        try await MagicalRecord.setUpInBackground(
            .sqlite(named: "Tasks"), migration: migration, model: .named("Tasks", in: .module))
        // end
    }

    static func rehearsing(_ versions: MagicalRecord.ModelVersions) throws {
        // snippet
        let report = try MagicalRecord.rehearseMigration(of: .sqlite(named: "Tasks"), through: versions)
        print(report)
        // end
    }
}
