import Foundation
import ModelFormat
import StoreTools

/// What an app does with its store at launch, before Core Data opens it.
@MainActor final class StoreAtLaunch {
    private(set) var message: String?
    private(set) var fraction = 0.0

    func open(_ url: URL, model: URL, after error: (any Error)? = nil) async throws {
        let progress: StoreProgress.Handler = { [weak self] step in
            Task { @MainActor in self?.fraction = step.fraction }
            return !Task.isCancelled
        }
        let opening = try await Task.detached {
            let version = try Model(contentsOf: model)
            return try StoreRescue.open(url, else: .rescue, model: version, after: error, progress: progress)
        }.value
        switch opening {
        case .ready: break
        case .unavailable(let condition):
            message = [condition.message, condition.advice].compactMap { $0 }.joined(separator: " ")
            return
        case .rescued(let report, let oldFiles):
            for entity in report.entities where entity.lost > 0 { print(entity.entity, entity.lost, entity.mended) }
            message = "\(report.notes.filter { $0.isLoss }.map { $0.message }) \(oldFiles.path)"
        case .rescuedBefore(let oldFiles): message = oldFiles.path
        case .damaged(let report): message = report.findings.first?.message
        }
    }

    /// Checks a store in the background.
    func findings(of url: URL) async -> [StoreFinding] {
        let result = await Task.detached { Result { try StoreCheck(url).run() } }.value
        switch result {
        case .success(let report): return report.isHealthy ? [] : report.findings
        case .failure(let error as StoreToolError):
            message = error.code == .unavailable ? error.advice : error.message
            return []
        case .failure: return []
        }
    }

    nonisolated func rescue(_ damaged: URL, to rescued: URL) throws -> RescueReport {
        var rescue = StoreRescue(damaged)
        rescue.restoresDeletedRows = true
        return try rescue.write(to: rescued)
    }
}
