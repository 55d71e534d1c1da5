import CoreData
import CoreDataTestSupport
import Foundation
import MagicalRecordTestSupport
import StoreTools
import Testing

/// Rescues at launch that end after any of their steps.
@Suite(.serialized) struct LaunchCrashTests {
    @Test func aStoreIsTheOldOneOrTheRescuedOneAfterEveryStep() throws {
        let kinds = LaunchSample.Damage.allCases
        let pairs = LongForm.choose(
            LaunchStep.allCases.enumerated().map { ($1, kinds[($0 + 1) % kinds.count]) },
            long: LaunchStep.allCases.flatMap { step in kinds.map { (step, $0) } })
        for (last, damage) in pairs {
            let sample = try LaunchSample(damage)
            #expect(throws: LaunchStep.Stop.self) {
                try sample.open { if $0 == last { throw LaunchStep.Stop() } }
            }
            let isExchanged = [.exchanged, .cleaned, .unlocked, .merged].contains(last)
            if isExchanged {
                let isSame = try LaunchSample.content(sample.url) == sample.content
                #expect(isSame, "\(last)")
            } else {
                let isSame = try LaunchSample.files(sample.folder) == sample.files
                #expect(isSame, "\(last)")
            }
            let opening = try sample.open()
            switch opening {
            case .rescued(_, let oldFiles):
                #expect(!isExchanged && last != .kept && last != .storeLocked, "\(last)")
                try sample.expectRescued(oldFiles)
            case .rescuedBefore(let oldFiles):
                #expect(isExchanged || last == .kept || last == .storeLocked, "\(last)")
                try sample.expectRescued(oldFiles)
            default: Issue.record("\(last): \(opening)")
            }
            guard case .ready = try sample.open() else {
                Issue.record("The rescued store is not ready.")
                continue
            }
        }
    }

    /// A program that does not call the function opens the store after the crash, and writes.
    @Test func whatIsWrittenAfterACrashIsKept() throws {
        for last in LongForm.choose([.filesCopied, .kept, .exchanged], long: LaunchStep.allCases) {
            let sample = try LaunchSample(.pageBesideLog)
            #expect(throws: LaunchStep.Stop.self) {
                try sample.open { if $0 == last { throw LaunchStep.Stop() } }
            }
            try sample.sample.shell("UPDATE ZTAG SET ZWORD = 'later', Z_OPT = 3 WHERE Z_PK = 3")
            _ = try sample.open()
            let content = try LaunchSample.content(sample.url)
            let expected = sample.content.map {
                $0.hasPrefix("INSERT INTO ZTAG VALUES(3,") ? "INSERT INTO ZTAG VALUES(3,5,3,'later');" : $0
            }
            let isSame = content == expected
            #expect(isSame, "\(last)")
            let folders = try sample.oldFolders
            #expect(folders.count == 1, "\(last)")
            guard case .ready = try sample.open() else {
                Issue.record("\(last): not ready")
                continue
            }
        }
    }

    /// Processes that end before any one of the system calls that change files.
    @Test(
        .enabled(if: LaunchWorker.isThere, LaunchWorker.comment),
        arguments: LongForm.choose([.pageBesideLog], long: LaunchSample.Damage.allCases))
    func aProcessMayBeKilledAtAnyCall(_ damage: LaunchSample.Damage) throws {
        let whole = try LaunchSample(damage)
        let worker = try Worker("step", whole.url, ["launch", "0"])
        #expect(worker.finish(), "\(worker.lines)")
        let calls = try #require(worker.last("calls"))
        let numbers = LongForm.isWanted ? Array(1...calls) : [calls - Int.random(in: 0..<min(60, calls))]
        for number in numbers {
            let sample = try LaunchSample(damage)
            let worker = try Worker("step", sample.url, ["launch", String(number)])
            _ = worker.finish()
            let log = try? Data(contentsOf: URL(fileURLWithPath: sample.url.path + "-wal"))
            let file = try Data(contentsOf: sample.url)
            let name = sample.url.lastPathComponent
            if file != sample.files[name] || log != sample.files[name + "-wal"] {
                let isSame = try LaunchSample.content(sample.url) == sample.content
                #expect(isSame, "killed before call \(number) of \(calls)")
            }
            let opening = try sample.open()
            switch opening {
            case .rescued(_, let oldFiles), .rescuedBefore(let oldFiles): try sample.expectRescued(oldFiles)
            case .ready:
                // It had finished.
                try sample.expectRescued(try #require(sample.oldFolders.first))
            default: Issue.record("killed before call \(number) of \(calls): \(opening)")
            }
        }
    }
}

/// The program that tests kill.
enum LaunchWorker {
    static let isThere = (try? Worker.program()) != nil
    static let comment: Comment = "The program CoreDataStoreWorker was not built beside the tests."
}
