import CoreData
import Foundation

extension Instruments.Recording {
    /// Returns a page that shows the recording on a timeline, with a track for each context, the findings, the operations by
    /// cost, and the details of each event.
    ///
    /// The page is one file that loads no resources. `#finding=0` at the end of its URL opens the first finding, and
    /// `#event=12` the event with this ID. The page contains predicates and IDs from the program's data. May be called on any
    /// thread. The whole page is built in memory; ``writeTimeline(of:to:)`` uses less memory for long recordings.
    ///
    /// - Parameter piece: the name of the recorded work, such as “import of March”. The heading prefixes it with the name of
    ///   the program. If it is nil, the heading contains the work named by `Instruments.work(_:_:)`, if any.
    public func timeline(of piece: String? = nil) -> String {
        var json = JSONWriter(capacity: 4096 + events.count * 80)
        var data = TimelineData(self)
        data.write(to: &json)
        let page = TimelinePage(of: self, piece: piece)
        return page.head + String(decoding: json.bytes, as: UTF8.self) + page.tail
    }

    /// Writes the page that ``timeline(of:)`` returns to a file. The file is replaced atomically after everything has been
    /// written, so that it is unchanged after a failure. A device or a pipe is written to directly. The page is written in
    /// pieces, so that it needs little memory besides the recording's.
    ///
    /// May be called on any thread.
    ///
    /// - Parameters:
    ///   - piece: the name of the recorded work, for the heading; see ``timeline(of:)``.
    ///   - url: the file. Its folder must exist.
    /// - Throws: the errors of `write(_:to:)`: a `CocoaError` with the file.
    public func writeTimeline(of piece: String? = nil, to url: URL) throws {
        let page = TimelinePage(of: self, piece: piece)
        try write(to: url) { output in
            output.write(page.head)
            var json = JSONWriter(to: output)
            var data = TimelineData(self)
            data.write(to: &json)
            json.finish()
            output.write(page.tail)
        }
    }
}
