#if canImport(CoreDataSQLiteStorage)
/// Reports the progress of phases, and ends the copying when the user asks for it.
final class CopyProgress {
    private let handler: StoreProgress.Handler?
    private var phase = ""
    private var (done, total) = (0, 1)

    init(_ handler: StoreProgress.Handler?) { self.handler = handler }

    func begin(_ phase: String, _ total: Int) {
        self.phase = phase
        (done, self.total) = (0, max(total, 1))
    }

    func advance(_ count: Int) throws {
        done += count
        guard let handler else { return }
        if !handler(StoreProgress(phase, Double(done) / Double(total))) {
            throw StoreToolError(.cancelled, "The copying was ended.")
        }
    }
}
#endif
