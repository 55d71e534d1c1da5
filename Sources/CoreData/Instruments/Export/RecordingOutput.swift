import Foundation

/// An open file for a recording. After an error nothing more is written.
package final class RecordingOutput {
    private let descriptor: Int32
    /// The `errno` of the first error, or 0.
    private(set) var failure: Int32 = 0

    init(_ descriptor: Int32) { self.descriptor = descriptor }

    package func write(_ text: String) {
        var text = text
        text.withUTF8 { write(UnsafeRawBufferPointer($0)) }
    }

    func write(_ bytes: UnsafeRawBufferPointer) {
        var rest = bytes[...]
        while !rest.isEmpty, failure == 0 {
            let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count == 0 {
                failure = EIO
            } else if errno != EINTR {
                failure = errno
            }
        }
    }
}
