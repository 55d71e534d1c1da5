import Foundation
import StoreToolCommands

exit(StoreTool.main(Array(CommandLine.arguments.dropFirst())))
