import CoreData
import Foundation

extension Instruments.Recording {
    /// Returns a page that shows the recording on a timeline, with a track for each context, the findings, the operations by
    /// cost, and all that is known of each event.
    ///
    /// The page is one file that loads nothing. `#finding=0` at the end of its URL opens the first finding, and `#event=12` the
    /// event of this ID. Predicates and IDs of the program's data are part of it. May be called on any thread. The page is in
    /// memory as a whole; ``writeTimeline(of:to:)`` takes less for long recordings.
    ///
    /// - Parameter piece: what was recorded, such as “import of March”. The heading has the name of the program before it. If it
    ///   is nil, the heading names the work that the program has named by `Instruments.work(_:_:)`, if there is some.
    public func timeline(of piece: String? = nil) -> String {
        var json = JSONWriter(capacity: 4096 + events.count * 80)
        var data = TimelineData(self)
        data.write(to: &json)
        let page = TimelinePage(of: self, piece: piece)
        return page.head + String(decoding: json.bytes, as: UTF8.self) + page.tail
    }

    /// Writes the page that ``timeline(of:)`` returns to a file, which is replaced at once when everything has been written:
    /// after a failure the former file is as it was. A device or a pipe is written to directly. The page is written piece by
    /// piece, so that it takes little memory besides the recording's.
    ///
    /// May be called on any thread.
    ///
    /// - Parameters:
    ///   - piece: what was recorded, for the heading; see ``timeline(of:)``.
    ///   - url: the file. Its folder must exist.
    /// - Throws: the errors of `write(_:to:)`: a `CocoaError` that names the file.
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
