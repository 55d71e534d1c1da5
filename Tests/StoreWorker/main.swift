// A process that works on a store, for tests that kill it, run several at once, or take its disk away. Not a product.
//
// CoreDataStoreWorker <command> <store> [arguments]: see the commands below. Reports on the standard output, one line at a time,
// unbuffered: what a killed process has reported did happen.
import CoreData
import Foundation

let arguments = CommandLine.arguments.dropFirst()
guard let name = arguments.first, arguments.count > 1 else {
    report("usage: CoreDataStoreWorker <command> <store> [arguments]")
    exit(64)
}
let place = arguments[arguments.startIndex + 1]
// A file's path, or the URL of a database.
let url = place.contains("://") ? URL(string: place) ?? URL(fileURLWithPath: place) : URL(fileURLWithPath: place)
let rest = Array(arguments.dropFirst(2))

do {
    switch name {
    // Rounds of changes, one save each, until killed.
    case "write": try Rounds(url, rest).run()
    // Makes stores 0, 1, 2 … in a folder until killed.
    case "create": try createStores(in: url)
    // Replaces the store by copies of two others in turn until killed.
    case "replace": try replaceStore(url, with: rest)
    // Moves an amount between two accounts some times, trying again after conflicts.
    case "transfer": try transfer(url, count: Int(rest[0]) ?? 1)
    // Adds 1 to an account some times, each time what it has read plus 1.
    case "increment": try increment(url, count: Int(rest[0]) ?? 1, Incrementing(rest.dropFirst()))
    // Inserts accounts under names that may be taken, under a merge policy.
    case "upsert": try upsert(url, policy: rest[0], count: Int(rest[1]) ?? 1)
    // Adds an account.
    case "add": try addAccount(url, rest[0], balance: Int(rest[1]) ?? 0)
    // Gives an account another name.
    case "rename": try renameAccount(url, rest[0], to: rest[1])
    // Looks at the accounts until told to stop by a file, or killed.
    case "watch": try watch(url, until: rest[0])
    // Tries to save while another process holds the file, then until it can.
    case "wait": try saveWhenPossible(url)
    // Lets every write of a save fail in turn.
    case "faults": try Faults(url, journal: rest[0]).run()
    // Ends itself at one particular write of a save.
    case "crash": try crash(url, journal: rest[0], at: Int(rest[1]) ?? 1)
    // Saves more than the process may write.
    case "limit": try exceedLimit(url)
    // Makes a store with so many entries.
    case "fill": try fillStore(url, count: Int(rest[0]) ?? 1)
    // Migrates the store to another version of the model, on the word of a file if one is given.
    case "migrate": try migrateStore(url, kind: rest[0], signal: rest.dropFirst().first)
    // Adds entries, one a save, until the store is of another version or a file tells to stop.
    case "append": try append(url, until: rest[0])
    // Does one piece of work on the store, and ends itself at one particular system call.
    case "step": try Steps(url, rest).run()
    // Reads and edits a store while one after the other of the system calls that read it fails.
    case "reads": try ReadFaults(url, rest).run()
    // Reads while no file descriptor is left.
    case "descriptors": try readWithoutDescriptors(url)
    // Opens the store with whatever model lies beside the program.
    case "model": try openWithDefaultModel(url)
    // Names the classes of objects whose entities name theirs without a module.
    case "classes": try reportClasses(url)
    // Saves with the default level of logging, and reports every message.
    case "log": try reportLog(url)
    // Sets up SQLite before its first use, and tries again after it.
    case "statistics": try reportStatistics(url, disables: rest == ["disable"])
    // Reads as a user who may not write there.
    case "peek": try peek(url)
    // Adds 1 to counters in a database, with a token for each save.
    case "count": try Counting(url, rest).run()
    // Moves amounts between accounts in a database, and follows the history of all processes that do.
    case "serve": try Serving(url, rest).run()
    // Edits a graph in a database at random, then reads it.
    case "graph": try GraphEditing(url, rest).run()
    // Copies the store to another place, and ends itself after some commits.
    case "copy": try copyStore(url, to: rest[0], until: Int(rest[1]) ?? 1)
    default:
        report("unknown command \(name)")
        exit(64)
    }
} catch {
    report("failed \(error)")
    exit(1)
}

/// Writes a line at once.
@Sendable func report(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
}
