import Foundation
import ModelFormat
import StoreTools

// The code of the documentation of StoreTools.

func examineStore(_ url: URL) throws {
    // snippet
    let report = try StoreCheck(url).run()
    print(report.condition.message)
    for finding in report.findings { print(finding) }
    // end
}

func examineConditionOfStore(_ url: URL) throws {
    // snippet
    let report = try StoreCheck(url).run()
    switch report.condition {
    case .readable, .inUse, .empty:
        print(report.isHealthy ? "healthy" : "\(report.findings.count) findings")
    case .locked, .protected:
        print("Later: \(report.condition.message)")
    default:
        print(report.condition.message, report.condition.advice ?? "")
    }
    // end
}

func rescueStore(_ damaged: URL, model: Model?, to rescued: URL) throws {
    // snippet
    var rescue = StoreRescue(damaged)
    rescue.model = model  // of the program; nil for the one in the file
    let report = try rescue.write(to: rescued)
    for result in report.entities {
        print(result.entity, result.kept, result.mended, result.lost)
    }
    for note in report.notes where note.isLoss {
        print(note.entity ?? "", note.message, note.keys)
    }
    // end
}

func openStoreOrRescueIt(_ url: URL) throws {
    // snippet
    switch try StoreRescue.open(url, else: .rescue) {
    case .ready: break  // set up as always
    case .unavailable(let condition): print("Try again later: \(condition.message)")  // it is not damaged
    case .rescued(let report, let oldFiles): print("Rescued:", report.notes, oldFiles)
    case .rescuedBefore(let oldFiles): print("Rescued at the last launch:", oldFiles)
    case .damaged(let report): print(report.findings)  // only for `else: .report`
    }
    // end
}

// Queries need the package's own Core Data.
#if !canImport(Darwin)
func queryStore(_ url: URL) throws {
    // snippet
    var query = StoreQuery(url, entity: "User")
    query.predicate = "isFriend == 1 AND country_code == %@"
    query.arguments = [49]
    query.sortKeys = [.init("last_update", ascending: false)]
    query.limit = 20
    query.columns = ["display_name", "last_update", "messages.@count"]
    try query.forEach { row in
        print(row.uri, row["display_name"] ?? .none, row["messages.@count"] ?? .none)
        return true
    }
    // end
}

func readOpenStore(_ url: URL) throws {
    // snippet
    let store = try OpenStore(url)
    print(store.entities, try store.counts())
    for row in try store.query(entity: "User").rows() {
        let messages = try store.related("messages", of: row.uri)
        print(row.uri, messages.count)
    }
    // end
}
#endif
