import Testing

/// What every engine does, asked of the engine alone: no context is between.
@Suite("The contract of engines")
struct ContractTests {
    @Test(arguments: EngineKind.allCases) func abilities(_ kind: EngineKind) throws {
        let open = try kind.makeEngine()
        #expect(open.engine.abilities == kind.abilities)
    }

    @Test(arguments: Trial.all(.reading)) func reading(_ trial: Trial) throws { try trial.run() }
    @Test(arguments: Trial.all(.order)) func order(_ trial: Trial) throws { try trial.run() }
    @Test(arguments: Trial.all(.limits)) func limits(_ trial: Trial) throws { try trial.run() }
    @Test(arguments: Trial.all(.predicates)) func predicates(_ trial: Trial) throws { try trial.run() }
    @Test(arguments: Trial.all(.counts)) func counts(_ trial: Trial) throws { try trial.run() }
    @Test(arguments: Trial.all(.dictionaries)) func dictionaries(_ trial: Trial) throws { try trial.run() }
    @Test(arguments: Trial.all(.toMany)) func toMany(_ trial: Trial) throws { try trial.run() }
    @Test(arguments: Trial.all(.keys)) func keys(_ trial: Trial) throws { try trial.run() }
    @Test(arguments: Trial.all(.saves)) func saves(_ trial: Trial) throws { try trial.run() }
    @Test(arguments: Trial.all(.links)) func links(_ trial: Trial) throws { try trial.run() }
    @Test(arguments: Trial.all(.conflicts)) func conflicts(_ trial: Trial) throws { try trial.run() }
    @Test(arguments: Trial.all(.destinations)) func destinations(_ trial: Trial) throws { try trial.run() }
    @Test(arguments: Trial.all(.batches)) func batches(_ trial: Trial) throws { try trial.run() }
    @Test(arguments: Trial.all(.history)) func history(_ trial: Trial) throws { try trial.run() }
    @Test(arguments: Trial.all(.snapshots)) func snapshots(_ trial: Trial) throws { try trial.run() }
    @Test(arguments: Trial.all(.sessions)) func sessions(_ trial: Trial) throws { try trial.run() }
    @Test(arguments: Trial.all(.failures)) func failures(_ trial: Trial) throws { try trial.run() }
}
