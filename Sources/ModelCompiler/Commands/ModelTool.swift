public import CoreDataModelBuilding

/// The program `modelc`, independent of the process.
public enum ModelTool {
    /// The result of a run.
    public typealias Result = CommandResult

    /// Runs a command line without the program's name.
    public static func run(_ words: [String]) -> Result { tool.run(words) }

    private static let tool = CommandLineTool(
        name: "modelc",
        purpose: """
            modelc works with Core Data models: source (.xcdatamodeld, .xcdatamodel), compiled (.momd, .mom), in SQLite stores,
            and mapping models (.xcmappingmodel, .cdm).
            """,
        commands: [
            CompileCommand.self, GenerateCommand.self, ShowCommand.self, DiffCommand.self, LintCommand.self,
            DiagramCommand.self, DDLCommand.self, HashesCommand.self, DecompileCommand.self,
            NewCommand.self, ModelFromClassesCommand.self, AddCommand.self, VersionCommand.self,
        ])
}
