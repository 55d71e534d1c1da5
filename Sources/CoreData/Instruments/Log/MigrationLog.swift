import CoreDataRowStorage

/// Writes the steps of migrations in the format of Apple's `-com.apple.CoreData.MigrationDebug 1`.
final class MigrationLog: EventListener {
    private let write: @Sendable (String) -> Void

    let needs: Probe.Needs = [.events, .migrations]

    init(_ write: @escaping @Sendable (String) -> Void) { self.write = write }

    func ended(_ record: EventRecord) {}

    func migrates(_ line: String) {
        write("CoreData: annotation: (migration)\t " + LogLine.escaped(line))
    }
}
