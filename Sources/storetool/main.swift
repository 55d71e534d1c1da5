import StoreToolCommands

_ = StoreTool.self
